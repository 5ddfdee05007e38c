# SPDX-License-Identifier: GPL-3.0-or-later
#
# What is published and needs no training, in minutes:
#
#     make -f examples/cifar10s/Makefile DATA=folder OUT=/tmp/cifar10s mixtures p19 figures
#
# mixtures: people's answers about mixtures of two images, of DATA/hmix (HMIX). p19: Peterson et al.'s predictions, of DATA/p19 (P19). figures: both,
# with what the papers say of the data, as figures.md; and figures.html, the pictures, by `softlabel report`.
P19 ?= $(DATA)/p19
published := $(filter mixtures p19 figures,$(MAKECMDGOALS))
ifneq ($(published),)
  $(call check_name,HMIX,$(HMIX))
  $(call check_name,P19,$(P19))
  # Files of one folder, which go by what they say.
  summed = $(if $(wildcard $2),$(call remember,data-$1,$(shell cat $(sort $(wildcard $2)) | cksum)),$(error there is no $2))
  $(if $(filter mixtures figures,$(published)),$(call summed,hmix,$(HMIX)/hmix_*.*))
  $(if $(filter p19 figures,$(published)),$(call summed,p19,$(P19)/*_*))
endif

mixtures: $(OUT)/mixtures.md
p19: $(OUT)/p19.md
figures: $(OUT)/figures.md $(OUT)/figures.html

$(OUT)/mixtures.md: $(addprefix $(HERE),mixture-figures rows.sh) $(OUT)/base/mixtures.parquet $(options)/data-hmix $(options)/data-votes
	SOFTLABEL=$(SOFTLABEL) $< $(HMIX) $(OUT)/base/mixtures.parquet $(DATA)/$(data.votes) $(OUT)/mixtures $(in_full)

$(OUT)/p19.md: $(addprefix $(HERE),p19-figures p19-order.awk p19-folds.awk p19-tables.awk figures.awk) $(options)/data-p19 $(OUT)/base/human.parquet
	SOFTLABEL=$(SOFTLABEL) $< $(P19) $(OUT)/base/human.parquet $(OUT)/p19 $(in_full)

$(OUT)/figures.md: $(data_figures) $(OUT)/mixtures.md $(OUT)/p19.md
	{ echo '# Figures that need no training'; cat $^; } $(in_full)

.PHONY: mixtures p19 figures

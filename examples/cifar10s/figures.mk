# SPDX-License-Identifier: GPL-3.0-or-later
#
# What is published and needs no training, in minutes:
#
#     make -f examples/cifar10s/Makefile DATA=folder OUT=/tmp/cifar10s mixtures p19 figures
#
# mixtures: people's answers about mixtures of two images, of DATA/hmix (HMIX). p19: Peterson et al.'s predictions, of DATA/p19 (P19). figures: both,
# with what the papers say of the data, as figures.md; and figures.html and varieties.html, the pictures, by `softlabel report`.
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
figures: $(OUT)/figures.md $(OUT)/figures.html $(OUT)/varieties.html

$(OUT)/mixtures.md: $(addprefix $(HERE),mixture-figures rows.sh) $(OUT)/base/mixtures.parquet $(options)/data-hmix $(options)/data-votes
	SOFTLABEL=$(SOFTLABEL) $< $(HMIX) $(OUT)/base/mixtures.parquet $(DATA)/$(data.votes) $(OUT)/mixtures $(in_full)

$(OUT)/p19.md: $(addprefix $(HERE),p19-figures p19-order.awk p19-folds.awk p19-tables.awk figures.awk) $(options)/data-p19 $(OUT)/base/human.parquet
	SOFTLABEL=$(SOFTLABEL) $< $(P19) $(OUT)/base/human.parquet $(OUT)/p19 $(in_full)

$(OUT)/figures.md: $(data_figures) $(OUT)/mixtures.md $(OUT)/p19.md
	{ echo '# Figures that need no training'; cat $^; } $(in_full)

# --- The pictures: tables of answers and labels as a page ---

shown := $(OUT)/figures
answers := $(OUT)/base/figures/answers.parquet
ours := $(OUT)/base/figures/ours.parquet
theirs := $(OUT)/base/figures/theirs.parquet
# data-figures makes them on its way.
$(answers) $(ours) $(theirs) $(OUT)/base/figures/by-answer.parquet $(OUT)/base/figures/votes-of-1000.parquet: $(data_figures) ;

$(shown)/.made:
	@mkdir -p $(@D)
	@touch $@

# C22 Figs. 3, 4, 8 and 9, P19 Fig. 1: where CIFAR-10S and CIFAR-10H are furthest apart, and nearest.
$(shown)/distances.parquet: $(ours) $(theirs) $(shown)/.made
	$(SOFTLABEL) compare -q --inner --items $@ --sort w_values --resamples 0 $(ours) $(theirs) -o $(@:.parquet=-mean.parquet)
$(shown)/cifar10s.parquet: $(ours) $(shown)/.made
	$(SOFTLABEL) cat $< --tag labels=CIFAR-10S -o $@
$(shown)/cifar10h.parquet: $(theirs) $(ours) $(shown)/.made
	$(SOFTLABEL) select -q --items $(ours) $< --tag labels=CIFAR-10H -o $@
$(shown)/images.parquet: $(OUT)/base/images.parquet $(ours) $(shown)/.made
	$(SOFTLABEL) select -q --items $(ours) $< -o $@

# C22 Fig. 5: answers to images of high and of low entropy.
$(shown)/histograms.parquet: $(answers) $(theirs) $(shown)/.made
	$(SOFTLABEL) score -q --by entropy --entropy-from $(theirs) --interval none \
	  --metrics first_percent_histogram,second_percent_histogram,possible_histogram $< -o $@

# C22 Figs. 6 and 10, without networks: how near so many answers are to all of CIFAR-10H, over annotators and over their seconds. Runs are draws.
draws := 1 2 3 4 5
drawn.s := $(foreach m,1 2 3 4 5 6,$(draws:%=$(shown)/s-$(m)-%.parquet))
drawn.h := $(foreach m,1 2 4 8 16 32,$(draws:%=$(shown)/h-$(m)-%.parquet))
draw = $(SOFTLABEL) deaggregate -q --annotators $(word 1,$(subst -, ,$*)) --seed $(word 2,$(subst -, ,$*)) $< | $(SOFTLABEL) aggregate -q \
  --tag labels=$1 --tag annotators=$(word 1,$(subst -, ,$*)) --tag seed=$(word 2,$(subst -, ,$*)) -o $@
$(shown)/s-%.parquet: $(OUT)/base/figures/by-answer.parquet $(shown)/.made
	$(call draw,CIFAR-10S)
$(shown)/h-%.parquet: $(OUT)/base/figures/votes-of-1000.parquet $(shown)/.made
	$(call draw,CIFAR-10H)
$(shown)/nearness-%.parquet: $$(drawn.$$*) $(theirs)
	$(SOFTLABEL) score -q --inner --against $(theirs) --by annotators --metrics l1,entropy_correlation $(drawn.$*) -o $@
# An answer of CIFAR-10S takes what it took (the median), one of CIFAR-10H 1.8 seconds (C22).
$(shown)/seconds-s.parquet: $(shown)/nearness-s.parquet $(answers)
	$(SOFTLABEL) cost --annotators annotators --time-from $(answers) $< -o $@
$(shown)/seconds-h.parquet: $(shown)/nearness-h.parquet
	$(SOFTLABEL) cost --annotators annotators --seconds 1.8 $< -o $@

# C22 Fig. 2: what the rules make of one person's answers.
rules := t1-uniform t1-clamp t2-uniform t2-clamp select-top-2
options.t1-uniform := --top 1 --spread uniform
options.t1-clamp := --top 1 --spread clamp
options.t2-uniform := --top 2 --spread uniform
options.t2-clamp := --top 2 --spread clamp
options.select-top-2 := --top 2 --select-top --spread none
$(shown)/one-person.parquet: $(answers) $(shown)/.made
	$(SOFTLABEL) select -q --where "annotator = $$($(SOFTLABEL) cat $< --format csv | awk -F, 'NR == 2 { print $$2; exit }')" $< -o $@
$(rules:%=$(shown)/by-%.parquet): $(shown)/by-%.parquet: $(shown)/one-person.parquet
	$(SOFTLABEL) redistribute -q --repeats drop $(options.$*) $< --tag rule=$* -o $@
$(shown)/their-images.parquet: $(OUT)/base/images.parquet $(shown)/one-person.parquet
	$(SOFTLABEL) select -q --items $(shown)/one-person.parquet $< -o $@
$(OUT)/varieties.html: $(rules:%=$(shown)/by-%.parquet) $(shown)/their-images.parquet
	$(SOFTLABEL) report -q --title 'One answer, five labels' $^ -o $@

pictured := $(addprefix $(shown)/,distances cifar10s cifar10h images histograms nearness-s nearness-h seconds-s seconds-h)
$(OUT)/figures.html: $(pictured:%=%.parquet) $(OUT)/base/mixtures.parquet $(OUT)/mixtures.md
	$(SOFTLABEL) report -q --title 'Soft labels of CIFAR-10S: the pictures' $(filter %.parquet,$^) $(OUT)/mixtures/curves.parquet -o $@

# --- What the networks come to, drawn: with the report of a study ---

page := $(OUT)/page
$(page)/.made:
	@mkdir -p $(@D)
	@touch $@
against_people = $(SOFTLABEL) score -q --inner --against $(on_10h)
$(page)/scores.parquet: $(tables.10h) $(on_10h) $(options)/report $(page)/.made
	$(against_people) --metrics $(measures) --bin-size $(BIN) --by labels,network $(tables.10h) -o $@
# Over annotators, and over their seconds.
$(curve:%=$(page)/curve-%.parquet): $(page)/curve-%.parquet: $(tables.10h) $(on_10h) $(options)/report $(page)/.made
	$(against_people) --metrics cross_entropy --by network $(call of_curve,$*) --tag labels=$(if $(filter s-% t2-clamp,$*),CIFAR-10S,CIFAR-10H) \
	  --tag annotators=$(call annotators_of,$*) -o $@
$(curve:%=$(page)/cost-%.parquet): $(page)/cost-%.parquet: $(page)/curve-%.parquet
	$(SOFTLABEL) cost --annotators annotators --seconds $(call seconds_of,$*) $< -o $@
# P19 Fig. 5: an attack step by step, of the first seed.
stepped_runs := $(foreach c,hard human t2-clamp,$(filter %/$(c)-$(firstword $(SEEDS)),$(attacked_runs)))
define attacked_rule
$$(page)/pgd-$(subst /,-,$1).parquet: $$(OUT)/models/$1.safetensors $$(OUT)/base/test.parquet $$(on_10h) $$(page)/.made
	$$(SOFTLABEL) predict -q -j $$(THREADS) --logits --attack pgd --epsilon 4/255 --model $$(wordlist 1,2,$$^) | $$(against_people) --metrics cross_entropy - -o $$@
endef
$(foreach r,$(stepped_runs),$(eval $(call attacked_rule,$r)))
on_page := $(page)/scores.parquet $(curve:%=$(page)/curve-%.parquet) $(curve:%=$(page)/cost-%.parquet) $(foreach r,$(stepped_runs),$(page)/pgd-$(subst /,-,$r).parquet)
$(OUT)/report.html: $(if $(tables.10h),$(on_page)) $(foreach r,$(stepped_runs),$(OUT)/predictions/$r.10h.parquet)
	$(SOFTLABEL) report -q --title 'Networks on soft labels of CIFAR-10S' $^ -o $@
all study: $(if $(tables.10h),$(OUT)/report.html)

.PHONY: mixtures p19 figures

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks the digests of an Arrow stream (digest-chain.h) as its messages come, in C++. */
#pragma once

#include "input.h"

#include <arrow/io/interfaces.h>
#include <arrow/ipc/message.h>

/* The messages that FROM, which reads INPUT, holds: without the last one, which has no rows. A
 * stream without digests is read as it is; *DIGESTED becomes TRUE with the first one. */
std::unique_ptr<arrow::ipc::MessageReader>
sl_checked_messages_new (std::shared_ptr<arrow::io::InputStream> from, SlInput *input,
                         gboolean *digested);

/* Indices of scatter-add: 32 bits, or 64 with EXB_WIDE. */
#pragma once

#ifndef EXB_WIDE
#define EXB_WIDE 0
#endif
#if EXB_WIDE
typedef exb_i64 exb_index;
#else
typedef exb_i32 exb_index;
#endif

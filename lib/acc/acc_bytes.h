/* What the byte formats of accumulators and of cells share. */
#pragma once

#include "core/arith/compiler.h"
#include "exblas/accumulator.h"

/* Of a finite sum: a two's complement number, little-endian, in units of 2^-2148. */
enum { EXB_ACC_PAYLOAD_BYTES = EXBLAS_ACC_BYTES - 16 };

void exb_acc_write_payload(const exblas_acc *a, unsigned char payload[EXB_ACC_PAYLOAD_BYTES]);
void exb_acc_read_payload(exblas_acc *a, const unsigned char payload[EXB_ACC_PAYLOAD_BYTES]);

/* Little-endian numbers. */
EXB_INLINE void exb_put_number(unsigned char *bytes, uint64_t value, int n_bytes)
{
    for (int i = 0; i < n_bytes; i++)
        bytes[i] = (unsigned char)(value >> 8 * i);
}

EXB_INLINE uint64_t exb_get_number(const unsigned char *bytes, int n_bytes)
{
    uint64_t value = 0;
    for (int i = 0; i < n_bytes; i++)
        value |= (uint64_t)bytes[i] << 8 * i;
    return value;
}

/* CRC-32 of ISO 3309 of what `crc` stands for, 0 at first, and more bytes. */
uint32_t exb_crc32(uint32_t crc, const unsigned char *bytes, size_t n_bytes);

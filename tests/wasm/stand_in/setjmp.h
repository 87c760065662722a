/* SPDX-License-Identifier: BSD-2-Clause */
/* wasi-libc has no setjmp(), and the stand-in for cmocka needs none. */

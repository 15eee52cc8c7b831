/*
 * void sp__context_swap(void **save, void *load)
 *
 * The AAPCS64 makes the callee keep x19 to x28, the frame pointer, the link
 * register and the low halves of v8 to v15. It leaves by br, not by ret, so
 * that the return predictor is not asked (see context_x86_64.S).
 */
	.text
	.globl	sp__context_swap
	.hidden	sp__context_swap
	.type	sp__context_swap, %function
	.p2align 4
sp__context_swap:
	.cfi_startproc
	hint	#34			/* bti c */
	sub	sp, sp, #160
	stp	x19, x20, [sp, #0]
	stp	x21, x22, [sp, #16]
	stp	x23, x24, [sp, #32]
	stp	x25, x26, [sp, #48]
	stp	x27, x28, [sp, #64]
	stp	x29, x30, [sp, #80]
	stp	d8, d9, [sp, #96]
	stp	d10, d11, [sp, #112]
	stp	d12, d13, [sp, #128]
	stp	d14, d15, [sp, #144]
	mov	x9, sp
	str	x9, [x0]
	mov	sp, x1
	ldp	x19, x20, [sp, #0]
	ldp	x21, x22, [sp, #16]
	ldp	x23, x24, [sp, #32]
	ldp	x25, x26, [sp, #48]
	ldp	x27, x28, [sp, #64]
	ldp	x29, x16, [sp, #80]
	ldp	d8, d9, [sp, #96]
	ldp	d10, d11, [sp, #112]
	ldp	d12, d13, [sp, #128]
	ldp	d14, d15, [sp, #144]
	add	sp, sp, #160
	mov	x30, x16
	br	x16
	.cfi_endproc
	.size	sp__context_swap, . - sp__context_swap

/* Where a new context begins; see context_x86_64.S. */
	.globl	sp__context_start
	.hidden	sp__context_start
	.type	sp__context_start, %function
	.p2align 4
sp__context_start:
	.cfi_startproc
	.cfi_undefined x30
	hint	#36			/* bti j */
	mov	x29, xzr
	mov	x30, xzr
	mov	x0, x20
	blr	x19
	brk	#1
	.cfi_endproc
	.size	sp__context_start, . - sp__context_start

	.section .note.GNU-stack, "", %progbits

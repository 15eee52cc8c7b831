/*
 * void sp__context_swap(void **save, void *load)
 *
 * Push what the System V ABI makes the callee keep, store the stack pointer in
 * *save, take up the other stack and pop the same from there.
 *
 * It leaves by pop and jmp, not by ret: the return-stack predictor has never
 * seen this return address and would mispredict every time (about 10 ns).
 * MXCSR and the x87 control word are not saved, which would cost more than all
 * the rest: a fiber that has changed them sees to it in switch.c (fenv.h).
 */
	.text
	.globl	sp__context_swap
	.hidden	sp__context_swap
	.type	sp__context_swap, @function
	.p2align 4
sp__context_swap:
	.cfi_startproc
	endbr64
	pushq	%rbp
	pushq	%rbx
	pushq	%r12
	pushq	%r13
	pushq	%r14
	pushq	%r15
	movq	%rsp, (%rdi)
	movq	%rsi, %rsp
	popq	%r15
	popq	%r14
	popq	%r13
	popq	%r12
	popq	%rbx
	popq	%rbp
	popq	%rcx
	notrack jmp *%rcx
	.cfi_endproc
	.size	sp__context_swap, . - sp__context_swap

/*
 * Where a new context begins: sp__context_make() put the entry function into
 * r12's slot and its argument into r13's. Unwinders stop here.
 */
	.globl	sp__context_start
	.hidden	sp__context_start
	.type	sp__context_start, @function
	.p2align 4
sp__context_start:
	.cfi_startproc
	.cfi_undefined rip
	endbr64
	xorl	%ebp, %ebp
	movq	%r13, %rdi
	callq	*%r12
	ud2
	.cfi_endproc
	.size	sp__context_start, . - sp__context_start

	.section .note.GNU-stack, "", @progbits

	/* Indirect branch tracking holds here; shadow stacks do not. */
	.section .note.gnu.property, "a"
	.p2align 3
	.long	4
	.long	16
	.long	5
	.asciz	"GNU"
	.long	0xc0000002
	.long	4
	.long	1
	.long	0

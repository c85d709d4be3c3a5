/* Filters system calls: makes a BPF program from the table in calls.h and gives it to the kernel (seccomp(2)). */
#include "lock.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#elif defined(__arm__)
#define ARCHITECTURE AUDIT_ARCH_ARM
#endif

#ifndef ARCHITECTURE
bool lock_can_filter(void) { return false; }
lock_result lock_filter_calls(void) { return (lock_result){"seccomp", ENOSYS}; }
#else

#ifndef SECCOMP_FILTER_FLAG_SPEC_ALLOW
#define SECCOMP_FILTER_FLAG_SPEC_ALLOW 4 /* Linux 4.17 */
#endif

#define MAX_CONDITIONS 4
#define MAX_INSTRUCTIONS 1024
#define OWN_ID UINT32_MAX

enum test { TEST_NOTHING, TEST_MASKED, TEST_AT_MOST, TEST_NONE };

typedef struct condition {
  enum test test;
  uint32_t argument, mask, value;
} condition;

typedef struct rule {
  uint32_t number, action;
  condition conditions[MAX_CONDITIONS];
} rule;

#define REFUSED(error) (SECCOMP_RET_ERRNO | (error))
#define MASKED(which, bits, expected) {TEST_MASKED, which, (uint32_t)(bits), (uint32_t)(expected)}
#define IS(which, expected) MASKED(which, UINT32_MAX, expected)
#define AT_MOST(which, max) {TEST_AT_MOST, which, 0, max}
#define NONE(which) {TEST_NONE, which, 0, 0}
#define ALLOW(name) {__NR_##name, SECCOMP_RET_ALLOW, {{0}}}
#define ALLOW_IF(name, ...) {__NR_##name, SECCOMP_RET_ALLOW, {__VA_ARGS__}}
#define KILL(name) {__NR_##name, SECCOMP_RET_KILL_PROCESS, {{0}}}
#define ABSENT(name) {__NR_##name, REFUSED(ENOSYS), {{0}}}

#include "calls.h"

#define RULE_COUNT (sizeof RULES / sizeof *RULES)

typedef struct program {
  struct sock_filter code[MAX_INSTRUCTIONS];
  unsigned short length;
} program;

/* Offset of half an argument; all supported architectures are little-endian. */
#define LOW(which) ((uint32_t)(offsetof(struct seccomp_data, args) + 8 * (which)))
#define HIGH(which) (LOW(which) + 4)

static void emit(program *made, uint16_t code, uint32_t value, uint8_t if_true, uint8_t if_false) {
  if (made->length < MAX_INSTRUCTIONS)
    made->code[made->length++] = (struct sock_filter){code, if_true, if_false, value};
}

static void load(program *made, uint32_t offset) { emit(made, BPF_LD | BPF_W | BPF_ABS, offset, 0, 0); }
static void load_number(program *made) { load(made, offsetof(struct seccomp_data, nr)); }
static void give(program *made, uint32_t action) { emit(made, BPF_RET | BPF_K, action, 0, 0); }

/* Number of instructions of a condition, see emit_condition(). */
static uint8_t length_of(const condition *one) {
  return one->test == TEST_NONE ? 4 : one->test == TEST_AT_MOST ? 2 : one->test == TEST_MASKED ? 3 : 0;
}

/* Continues if the condition holds, otherwise skips `rest` instructions after it. */
static void emit_condition(program *made, const condition *one, uint8_t rest) {
  load(made, LOW(one->argument));
  if (one->test == TEST_AT_MOST) emit(made, BPF_JMP | BPF_JGT | BPF_K, one->value, rest, 0);
  if (one->test == TEST_MASKED) {
    const uint32_t value = one->value == OWN_ID ? (uint32_t)getpid() : one->value;
    emit(made, BPF_ALU | BPF_AND | BPF_K, one->mask, 0, 0);
    emit(made, BPF_JMP | BPF_JEQ | BPF_K, value, 0, rest);
  }
  if (one->test == TEST_NONE) {
    emit(made, BPF_JMP | BPF_JEQ | BPF_K, 0, 0, (uint8_t)(rest + 2));
    load(made, HIGH(one->argument));
    emit(made, BPF_JMP | BPF_JEQ | BPF_K, 0, 0, rest);
  }
}

/* Gives the action of a rule if the loaded number is that of its call and its conditions hold. Otherwise continues. */
static void emit_rule(program *made, const rule *one) {
  uint8_t rest = 1; /* the action */
  for (size_t i = 0; i < MAX_CONDITIONS; i++) rest = (uint8_t)(rest + length_of(&one->conditions[i]));
  emit(made, BPF_JMP | BPF_JEQ | BPF_K, one->number, 0, rest);
  for (size_t i = 0; i < MAX_CONDITIONS && one->conditions[i].test != TEST_NOTHING; i++) {
    rest = (uint8_t)(rest - length_of(&one->conditions[i]));
    emit_condition(made, &one->conditions[i], rest);
  }
  give(made, one->action);
  if (one->conditions[0].test != TEST_NOTHING) load_number(made);
}

static void make_program(program *made) {
  load(made, offsetof(struct seccomp_data, arch));
  emit(made, BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0);
  give(made, SECCOMP_RET_KILL_PROCESS);
  load_number(made);
#ifdef __x86_64__
  emit(made, BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1); /* the x32 interface has the same architecture */
  give(made, SECCOMP_RET_KILL_PROCESS);
#endif
  for (size_t i = 0; i < RULE_COUNT; i++) emit_rule(made, &RULES[i]);
  emit(made, BPF_JMP | BPF_JGT | BPF_K, LAST_KNOWN_CALL, 0, 1);
  give(made, REFUSED(ENOSYS));
  give(made, REFUSED(EPERM));
}

bool lock_can_filter(void) {
  uint32_t action = SECCOMP_RET_KILL_PROCESS;
  return syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

static long set_filter(unsigned flags, const struct sock_fprog *filter) {
  return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, filter);
}

lock_result lock_filter_calls(void) {
  program made = {.length = 0};
  make_program(&made);
  if (made.length == MAX_INSTRUCTIONS) return (lock_result){"seccomp", E2BIG};
  const struct sock_fprog filter = {.len = made.length, .filter = made.code};
  /*
   * Without SPEC_ALLOW, kernels before 5.16 slow down speculation. The process shares memory with nobody it could spy
   * on.
   */
  long result = set_filter(SECCOMP_FILTER_FLAG_TSYNC | SECCOMP_FILTER_FLAG_SPEC_ALLOW, &filter);
  if (result < 0 && errno == EINVAL) result = set_filter(SECCOMP_FILTER_FLAG_TSYNC, &filter);
  if (result < 0) return (lock_result){"seccomp", errno};
  return (lock_result){"seccomp", result > 0 ? EBUSY : 0}; /* the id of a thread with another filter */
}
#endif


/*
 * Connects network namespaces by a link that delays and loses packets, without sch_netem:
 *   link LOSS_PPM DELAY_US JITTER_US RATE SEED [PREFIX NAME...]
 * Without names, it makes two namespaces; otherwise it uses those of ip-netns(8). Each one gets a TUN device with an
 * address: PREFIX.1, PREFIX.2 and so on; the default is 10.77.0. In each direction, a packet is lost with LOSS_PPM /
 * 1e6, and otherwise delayed by DELAY_US plus an equally distributed part of JITTER_US. The packets of a flow
 * (protocol, addresses, ports) keep their order. A flow carries RATE bytes per second, 0 for no limit; packets wait for
 * this in a queue, and those that would wait longer than QUEUE_NS are lost. Prints "ready FD FD...", the descriptors of
 * the namespaces, and ends at the end of its input. Needs root.
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#define MAX_PACKET 2048
#define MAX_SIDES 8
#define MAX_WAITING 65536
#define FLOWS 4096
#define NS_PER_US 1000
#define NS_PER_S 1000000000LL
#define QUEUE_NS (300 * NS_PER_S / 1000)

struct packet {
  int64_t due; /* ns */
  uint64_t number;
  int to; /* descriptor of a TUN device */
  size_t length;
  uint8_t bytes[];
};

/* A binary heap; the packet that is due first is at 0. */
static struct packet *waiting[MAX_WAITING];
static size_t count;
static int64_t flow_due[FLOWS];
static int64_t flow_free[FLOWS]; /* when the packets before it have been sent, with a limited rate */
static uint64_t state;

static void fail(const char *what) {
  perror(what);
  exit(1);
}

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * NS_PER_S + time.tv_nsec;
}

/* Returns a random number from 0 to 1, excluding 1 (SplitMix64; Steele, Lea, Flood 2014). */
static double chance(void) {
  uint64_t z = (state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return (double)((z ^ (z >> 31)) >> 11) / 9007199254740992.0;
}

/* Hashes the flow of an IPv4 packet (FNV-1a). Flows with the same hash share their order. */
static uint32_t flow_of(const uint8_t *bytes, size_t length) {
  uint32_t hash = (2166136261u ^ bytes[9]) * 16777619u;
  for (size_t i = 12; i < 24 && i < length; i++) hash = (hash ^ bytes[i]) * 16777619u;
  return (hash ^ (hash >> 16)) % FLOWS;
}

static int before(const struct packet *a, const struct packet *b) {
  return a->due != b->due ? a->due < b->due : a->number < b->number;
}

static void swap(size_t i, size_t j) {
  struct packet *packet = waiting[i];
  waiting[i] = waiting[j];
  waiting[j] = packet;
}

static void push(struct packet *packet) {
  size_t i = count++;
  waiting[i] = packet;
  for (; i > 0 && before(waiting[i], waiting[(i - 1) / 2]); i = (i - 1) / 2) swap(i, (i - 1) / 2);
}

static struct packet *pop(void) {
  struct packet *first = waiting[0];
  waiting[0] = waiting[--count];
  for (size_t i = 0;;) {
    size_t least = i;
    for (size_t child = 2 * i + 1; child <= 2 * i + 2 && child < count; child++)
      if (before(waiting[child], waiting[least])) least = child;
    if (least == i) return first;
    swap(i, least);
    i = least;
  }
}

static void set_up(int control, const char *name, const char *address, const char *mask) {
  struct ifreq request = {0};
  struct sockaddr_in *in = (struct sockaddr_in *)&request.ifr_addr;
  strcpy(request.ifr_name, name);
  in->sin_family = AF_INET;
  inet_pton(AF_INET, address, &in->sin_addr);
  if (ioctl(control, SIOCSIFADDR, &request)) fail("SIOCSIFADDR");
  inet_pton(AF_INET, mask, &in->sin_addr);
  if (ioctl(control, SIOCSIFNETMASK, &request)) fail("SIOCSIFNETMASK");
  request.ifr_flags = IFF_UP | IFF_RUNNING;
  if (ioctl(control, SIOCSIFFLAGS, &request)) fail("SIOCSIFFLAGS");
}

/*
 * Enters a namespace; without a name, a new one. Gives it a TUN device. Sets *space to its descriptor, and returns that
 * of the device.
 */
static int make_side(const char *name, const char *address, int *space) {
  if (name) {
    char path[256];
    snprintf(path, sizeof path, "/run/netns/%s", name);
    const int old = open(path, O_RDONLY);
    if (old < 0 || setns(old, CLONE_NEWNET)) fail(path);
    close(old);
  } else if (unshare(CLONE_NEWNET)) {
    fail("a network namespace");
  }
  const int tun = open("/dev/net/tun", O_RDWR | O_NONBLOCK);
  if (tun < 0) fail("/dev/net/tun");
  struct ifreq request = {.ifr_name = "tun0"};
  request.ifr_flags = IFF_TUN | IFF_NO_PI;
  if (ioctl(tun, TUNSETIFF, &request)) fail("TUNSETIFF");
  const int control = socket(AF_INET, SOCK_DGRAM, 0);
  set_up(control, "lo", "127.0.0.1", "255.0.0.0");
  set_up(control, "tun0", address, "255.255.255.0");
  close(control);
  *space = open("/proc/self/ns/net", O_RDONLY);
  if (*space < 0) fail("/proc/self/ns/net");
  return tun;
}

int main(int argc, char **argv) {
  const int is_named = argc > 7;
  const int sides = is_named ? argc - 7 : 2;
  if (argc < 6 || argc == 7 || sides > MAX_SIDES) return 2;
  const double loss = atof(argv[1]) / 1e6;
  const double delay = atof(argv[2]) * NS_PER_US;
  const double jitter = atof(argv[3]) * NS_PER_US;
  const double rate = atof(argv[4]);
  state = strtoull(argv[5], NULL, 10);
  struct pollfd polled[MAX_SIDES + 1];
  printf("ready");
  for (int side = 0; side < sides; side++) {
    char address[32];
    int space;
    snprintf(address, sizeof address, "%s.%d", is_named ? argv[6] : "10.77.0", side + 1);
    const int tun = make_side(is_named ? argv[7 + side] : NULL, address, &space);
    polled[side] = (struct pollfd){tun, POLLIN, 0};
    printf(" %d", space);
  }
  polled[sides] = (struct pollfd){STDIN_FILENO, POLLIN, 0};
  printf("\n");
  fflush(stdout);
  for (uint64_t number = 0;;) {
    struct timespec rest = {0};
    if (count > 0 && waiting[0]->due > now()) {
      const int64_t left = waiting[0]->due - now();
      rest.tv_sec = left > 0 ? left / NS_PER_S : 0;
      rest.tv_nsec = left > 0 ? left % NS_PER_S : 0;
    }
    if (ppoll(polled, (nfds_t)sides + 1, count > 0 ? &rest : NULL, NULL) < 0) fail("ppoll");
    if (polled[sides].revents) return 0;
    for (int side = 0; side < sides; side++) {
      uint8_t bytes[MAX_PACKET];
      ssize_t length;
      while ((length = read(polled[side].fd, bytes, sizeof bytes)) > 0) {
        const int is_ipv4 = length >= 20 && bytes[0] >> 4 == 4;
        const int to = is_ipv4 ? bytes[19] - 1 : -1; /* the last byte of the destination */
        if (to < 0 || to >= sides || count == MAX_WAITING || chance() < loss) continue;
        const uint32_t of = flow_of(bytes, (size_t)length);
        int64_t sent = now();
        if (rate > 0) {
          if (flow_free[of] > sent + QUEUE_NS) continue;
          sent = (flow_free[of] > sent ? flow_free[of] : sent) + (int64_t)((double)length / rate * NS_PER_S);
          flow_free[of] = sent;
        }
        struct packet *packet = malloc(sizeof *packet + (size_t)length);
        if (!packet) fail("malloc");
        int64_t *flow = &flow_due[of];
        const int64_t due = sent + (int64_t)(delay + jitter * chance());
        *flow = due > *flow ? due : *flow;
        *packet = (struct packet){*flow, number++, polled[to].fd, (size_t)length};
        memcpy(packet->bytes, bytes, (size_t)length);
        push(packet);
      }
    }
    while (count > 0 && waiting[0]->due <= now()) {
      struct packet *packet = pop();
      if (write(packet->to, packet->bytes, packet->length) < 0) perror("write");
      free(packet);
    }
  }
}

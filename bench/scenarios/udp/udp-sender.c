/*
 * Sends pads' datagrams to a port of this machine as fast as possible, 64 with each sendmmsg(2):
 *   udp-sender PORT FLOWS MILLISECONDS MAX_DATAGRAMS KEY(32 hexadecimal digits) FIRST_PAD
 * Each flow has its own socket and pad. The pad is FIRST_PAD plus the number of the flow, which is also its slot in
 * match 1. Prints the number of sent datagrams and the duration in microseconds.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "siphash.h"

#define BATCH 64
#define BYTES 32
#define MAX_FLOWS 256

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec + time.tv_nsec / 1e9;
}

static void put(uint8_t *at, uint64_t value, int bytes) {
  for (int i = 0; i < bytes; i++) at[i] = (uint8_t)(value >> 8 * i);
}

static void sign(uint8_t *bytes, const uint64_t key[2], uint32_t pad, uint32_t sequence, int slot) {
  bytes[0] = 'P', bytes[1] = 1;
  put(bytes + 2, 1, 2);
  put(bytes + 4, pad, 4);
  put(bytes + 8, sequence, 4);
  bytes[12] = (uint8_t)slot;
  bytes[13] = (uint8_t)(sequence % 127); /* the stick moves */
  put(bytes + 24, siphash_2_4(key, bytes, 3), 8);
}

int main(int argc, char **argv) {
  static uint8_t bytes[BATCH][BYTES];
  static struct iovec vectors[BATCH];
  static struct mmsghdr messages[BATCH];
  int sockets[MAX_FLOWS];
  uint32_t sequences[MAX_FLOWS] = {0};
  uint8_t key_bytes[16];
  if (argc != 7 || strlen(argv[5]) != 32) return 2;
  const int flows = atoi(argv[2]);
  const long most = atol(argv[4]);
  const uint32_t first = (uint32_t)strtoul(argv[6], NULL, 10);
  if (flows < 1 || flows > MAX_FLOWS) return 2;
  for (int i = 0; i < 16; i++) {
    unsigned value;
    if (sscanf(argv[5] + 2 * i, "%2x", &value) != 1) return 2;
    key_bytes[i] = (uint8_t)value;
  }
  const uint64_t key[2] = {sip_word(key_bytes), sip_word(key_bytes + 8)};
  const struct sockaddr_in to = {.sin_family = AF_INET,
                                 .sin_port = htons((uint16_t)atoi(argv[1])),
                                 .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  for (int i = 0; i < flows; i++) {
    sockets[i] = socket(AF_INET, SOCK_DGRAM, 0);
    if (sockets[i] < 0 || connect(sockets[i], (const struct sockaddr *)&to, sizeof to) != 0) {
      perror("socket");
      return 1;
    }
  }
  for (int i = 0; i < BATCH; i++) {
    vectors[i].iov_base = bytes[i];
    vectors[i].iov_len = BYTES;
    messages[i].msg_hdr.msg_iov = &vectors[i];
    messages[i].msg_hdr.msg_iovlen = 1;
  }
  const double began = now(), end = began + atof(argv[3]) / 1000;
  long sent = 0;
  for (int flow = 0; sent < most && now() < end; flow = (flow + 1) % flows) {
    for (int i = 0; i < BATCH; i++)
      sign(bytes[i], key, first + (uint32_t)flow, ++sequences[flow], flow);
    const int count = sendmmsg(sockets[flow], messages, BATCH, 0);
    if (count > 0) sent += count;
    else if (errno != ECONNREFUSED && errno != ENOBUFS && errno != EINTR) {
      perror("sendmmsg");
      return 1;
    }
  }
  printf("%ld %.0f\n", sent, (now() - began) * 1e6);
  return 0;
}

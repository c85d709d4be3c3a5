/** A process writes frames and checkpoints as fast as it can while this one reads them. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { closeSync } from 'node:fs';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Mailbox, mailboxBytes } from '../../app/engine/mailbox/mailbox.js';
import { native } from '../../app/native/native.js';
import { extent } from '../support/extent.js';
import { until } from './helpers.js';
import { check, sizes } from './jobs/hammer.js';

const WRITER = fileURLToPath(new URL('./jobs/hammer.js', import.meta.url));
const KILLS = extent(8, 25);
/** Frames that are read of a writer before it is killed, at most. */
const MAX_FRAMES = extent(199, 3989);

/** Makes a reader that takes new frames and checks every byte. @param {Mailbox} mailbox */
function reader(mailbox) {
  return {
    lastTick: 0,
    frames: 0,
    checkpoints: 0,
    read() {
      const frame = mailbox.takeFrame();
      if (frame) {
        assert.equal(check(frame.bytes), frame.tick, `frame ${frame.tick} is torn`);
        assert.equal(check(mailbox.lastFrame.bytes), frame.tick, 'a frame stays whole');
        assert.ok(frame.tick > this.lastTick, 'frames come in order');
        this.frames++;
        this.lastTick = frame.tick;
      }
      if (this.frames % 16 !== 0) return;
      const checkpoint = mailbox.copyCheckpoint();
      if (!checkpoint) return;
      assert.equal(check(checkpoint.bytes), checkpoint.tick, 'the checkpoint is torn');
      this.checkpoints++;
    },
  };
}

test(`the writer is killed ${KILLS} times; frames come in order, and nothing is torn`, async (t) => {
  const { buffer, fd } = native().createMemory(mailboxBytes(sizes));
  t.after(() => closeSync(fd));
  const mailbox = Mailbox.create(buffer, sizes);
  const eye = reader(mailbox);
  const reading = () => {
    for (let i = 0; i < 500; i++) eye.read();
  };
  for (let kill = 0; kill < KILLS; kill++) {
    const before = mailbox.checkpoint?.tick ?? 0;
    const writer = spawn(process.execPath, [WRITER], {
      stdio: ['ignore', 'inherit', 'inherit', 'ignore', fd],
    });
    t.after(() => writer.kill('SIGKILL'));
    let gone = false;
    writer.once('exit', () => (gone = true));
    // Each writer is killed after another number of frames, at any point of a write.
    const goal = eye.frames + 1 + ((kill * 7919) % MAX_FRAMES);
    await until(() => (reading(), eye.frames > goal && mailbox.checkpoint), 'it writes');
    writer.kill('SIGKILL');
    while (!gone) {
      reading();
      await turn();
    }
    reading();
    const { checkpoint } = mailbox;
    assert.ok(checkpoint && check(checkpoint.bytes) === checkpoint.tick, 'it is whole');
    assert.ok(checkpoint.tick >= before, 'the checkpoint is no older than before');
    mailbox.resetWriter();
    eye.lastTick = 0; // the next process starts from the checkpoint
  }
  assert.equal(mailbox.faults, 0);
  assert.ok(eye.frames > KILLS && eye.checkpoints > 0);
  t.diagnostic(`${eye.frames} frames, ${eye.checkpoints} checkpoints read`);
});

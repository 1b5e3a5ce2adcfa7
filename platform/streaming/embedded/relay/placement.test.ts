import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Placement } from './placement.ts';

const RELAYS = 4;
const names = fc.constantFrom('a', 'b', 'c', 'a~480', 'b~720');

describe('where streams live', () => {
  it('is spread over the relays, always the same, and one for a stream and what is made of it', () => {
    const placement = new Placement(RELAYS);
    const streams = Array.from({ length: 200 }, (_, i) => `stream-${i}`);
    const found = streams.map((stream) => placement.relayOf(stream));
    expect(new Set(found).size).toBe(RELAYS);
    expect(streams.map((stream) => new Placement(RELAYS).relayOf(`${stream}~480`))).toEqual(found);
  });

  it('is where the sessions are, as long as there are any, and forgets the rest', () => {
    const step = fc.record({ stream: names, begins: fc.boolean() });
    const steps = fc.array(step, { maxLength: 60, size: 'max' });
    fc.assert(fc.property(steps, fc.nat(RELAYS - 1), (all, moved) => {
      const placement = new Placement(RELAYS);
      placement.enter('a', moved);
      const live: { stream: string; relay: number }[] = [{ stream: 'a', relay: moved }];
      for (const { stream, begins } of all) {
        if (begins) {
          const relay = placement.relayOf(stream);
          placement.enter(stream, relay);
          live.push({ stream, relay });
        } else {
          const one = live.pop();
          if (one) placement.leave(one.stream, one.relay);
        }
        for (const one of live) expect(placement.relayOf(one.stream)).toBe(one.relay);
      }
      for (const one of live) placement.leave(one.stream, one.relay);
      const fresh = new Placement(RELAYS);
      for (const stream of ['a', 'b', 'c']) {
        expect(placement.presentAt(stream)).toBeNull();
        expect(placement.relayOf(stream)).toBe(fresh.relayOf(stream));
      }
    }));
  });

  it('is unknown while a stream is being moved', async () => {
    const placement = new Placement(RELAYS);
    const log: string[] = [];
    let arrive = (): void => undefined;
    const moving = placement.hold('to', () =>
      new Promise((resolve) => {
        arrive = resolve;
      }));
    const asked = placement.settled('other', 'to~480').then(() => log.push('asked'));
    await placement.settled('other');
    log.push('other');
    arrive();
    await Promise.all([moving, asked]);
    expect(log).toEqual(['other', 'asked']);
  });

  it('is known again after a move that failed', async () => {
    const placement = new Placement(RELAYS);
    const moving = placement.hold('to', () => Promise.reject(new Error('no')));
    const asked = placement.settled('to');
    await expect(moving).rejects.toThrow('no');
    await asked;
  });
});

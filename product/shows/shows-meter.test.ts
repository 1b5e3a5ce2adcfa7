import { describe, expect, it } from 'vitest';
import {
  capturedDue,
  costOf,
  counted,
  isWorthHolding,
  newMeter,
  nextStep,
  prepaidSeconds,
  renewed,
  secondsFor,
  secondsLeft,
  toCapture,
  type Meter,
} from './rules/meter.ts';

/** Deterministic numbers in [0, 1): the same shows in each run. */
function dice(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** The slow reference: each second adds the price in sixtieths of a token, and whole tokens are paid. */
class ReferenceMeter {
  readonly #price: number;
  #sixtieths = 0;
  tokens = 0;
  seconds = 0;

  constructor(price: number) {
    this.#price = price;
  }

  count(): void {
    this.seconds += 1;
    this.#sixtieths += this.#price;
    for (; this.#sixtieths >= 60; this.#sixtieths -= 60) this.tokens += 1;
  }

  /** Forgets the seconds beyond this many, as a process that died does. */
  forgetAfter(seconds: number): void {
    const again = new ReferenceMeter(this.#price);
    while (again.seconds < seconds) again.count();
    [this.#sixtieths, this.tokens, this.seconds] = [again.#sixtieths, again.tokens, again.seconds];
  }
}

interface Wallet {
  balance: number;
  held: number;
  paid: number;
}

/** Sets aside what the next second needs, as the server does; if there is nothing, the tokens are used up. */
function prepare(meter: Meter, wallet: Wallet): Meter {
  const step = nextStep(meter);
  if (step.kind === 'count') return meter;
  const due = toCapture(meter);
  wallet.paid += due;
  wallet.balance += wallet.held - due;
  wallet.held = 0;
  const most = step.kind === 'hold' ? Math.min(step.tokens, wallet.balance) : 0;
  if (!isWorthHolding(meter, most)) return renewed(meter, 0);
  wallet.balance -= most;
  wallet.held = most;
  return renewed(meter, most);
}

function capture(meter: Meter, wallet: Wallet): Meter {
  const due = toCapture(meter);
  wallet.paid += due;
  wallet.held -= due;
  return capturedDue(meter);
}

interface Outcome {
  readonly seconds: number;
  readonly paid: number;
  readonly error: number;
  readonly lost: number;
}

/**
 * One show: seconds with and without media, captures at most ten seconds apart, tokens spent elsewhere and
 * bought in between, a wall clock that jumps (and that nothing reads), and sometimes a process that dies.
 */
function show(random: () => number): Outcome {
  const whole = (most: number): number => Math.floor(random() * most);
  const price = 1 + whole(random() < 0.1 ? 999 : 120);
  const start = whole(20 * price);
  const wallet: Wallet = { balance: start, held: 0, paid: 0 };
  const limit = random() < 0.3 ? 1 + whole(10 * price) : null;
  const reference = new ReferenceMeter(price);
  let meter = newMeter({ price, limit, held: 0 });
  let stored = meter;
  let bought = 0;
  let spent = 0;
  let lost = 0;
  const drops = random() * 0.4;
  const length = whole(150);
  for (let second = 0; second < length; second += 1) {
    if (second % 10 === 9) stored = meter = capture(meter, wallet);
    if (random() < drops) continue;
    if (random() < 0.01) {
      const elsewhere = whole(wallet.balance + 1);
      wallet.balance -= elsewhere;
      spent += elsewhere;
    } else if (random() < 0.02) {
      const more = whole(price * 3);
      wallet.balance += more;
      bought += more;
    }
    const ready = prepare(meter, wallet);
    if (ready !== meter) stored = ready;
    meter = ready;
    if (prepaidSeconds(meter) === 0) break;
    meter = counted(meter);
    reference.count();
    if (random() < 0.002) {
      lost = Math.max(lost, meter.seconds - stored.seconds);
      meter = stored;
      reference.forgetAfter(stored.seconds);
    }
  }
  meter = capture(meter, wallet);
  wallet.balance += wallet.held;
  const expected = reference.tokens;
  const error = Math.abs(wallet.paid - expected) + Math.abs(meter.captured - expected)
    + Math.abs(meter.seconds - reference.seconds)
    + Math.abs(start + bought - spent - wallet.paid - wallet.balance)
    + Math.max(0, -wallet.balance) + (limit === null ? 0 : Math.max(0, wallet.paid - limit));
  return { seconds: meter.seconds, paid: wallet.paid, error, lost };
}

describe('the meter of a show', () => {
  it('costs what a slow meter counts, in 100,000 shows with cuts, crashes and balances spent elsewhere', {
    timeout: 60_000,
  }, () => {
    const random = dice(15);
    let error = 0;
    let paid = 0;
    let seconds = 0;
    let lost = 0;
    for (let at = 0; at < 100_000; at += 1) {
      const outcome = show(random);
      error += outcome.error;
      paid += outcome.paid;
      seconds += outcome.seconds;
      lost = Math.max(lost, outcome.lost);
    }
    expect(error).toBe(0);
    expect(paid).toBeGreaterThan(1_000_000);
    expect(seconds).toBeGreaterThan(1_000_000);
    expect(lost).toBeLessThanOrEqual(10);
  });

  it('rounds down once over the whole show, whatever it is captured in', () => {
    expect([0, 1, 2, 3, 59, 60, 61, 119, 120].map((seconds) => costOf({ price: 30, seconds, carried: 0 })))
      .toEqual([0, 0, 1, 1, 29, 30, 30, 59, 60]);
    let meter = newMeter({ price: 7, limit: null, held: 7 });
    const captures: number[] = [];
    for (let second = 1; second <= 60; second += 1) {
      meter = counted(meter);
      if (second % 10 !== 0) continue;
      captures.push(toCapture(meter));
      meter = capturedDue(meter);
    }
    expect(captures).toEqual([1, 1, 1, 1, 1, 2]);
    expect(meter).toMatchObject({ captured: 7, held: 0, seconds: 60 });
  });

  it('holds the next minute before its first second, and what is left when that is less', () => {
    const used: Meter = { price: 30, limit: null, seconds: 60, carried: 0, captured: 20, held: 10 };
    expect(nextStep(used)).toEqual({ kind: 'hold', tokens: 30 });
    expect(prepaidSeconds(renewed(used, 30))).toBe(60);
    expect(prepaidSeconds(renewed(used, 7))).toBe(14);
    expect(isWorthHolding({ ...used, price: 999, captured: 999, held: 0 }, 1)).toBe(false);
    expect(() => counted(used)).toThrow('a second is counted that nothing is held for');
  });

  it('ends at the limit of the viewer, and counts the time left within it', () => {
    const limited: Meter = { price: 30, limit: 45, seconds: 60, carried: 0, captured: 30, held: 0 };
    expect(nextStep(limited)).toEqual({ kind: 'hold', tokens: 15 });
    expect(nextStep({ ...limited, seconds: 90, captured: 45 })).toEqual({ kind: 'used_up' });
    expect(secondsLeft(limited, 1_000)).toBe(30);
    expect(secondsLeft({ ...limited, limit: null }, 15)).toBe(30);
    expect(secondsFor(7, 1)).toBe(8);
  });
});

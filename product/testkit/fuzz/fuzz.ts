import type { AnyCall } from '#platform/contract/call.ts';
import { z } from 'zod';
import { declaredBySlices } from '../contracts.ts';
import { Dice } from '../money/dice.ts';
import { createShop } from '../payments/payments.ts';
import type { TestSite } from '../site.ts';
import type { Visitor } from '../visitor.ts';
import { caseFor, takesJson, UNKNOWN_FIELD, type Case } from './cases.ts';
import { broken, operationsOf, type Document, type Operation } from './judge.ts';
import { Harvest, type Schema } from './values.ts';

/** Every kind of caller. */
export const FUZZ_ROLES = ['guest', 'member', 'performer', 'site moderator', 'admin', 'operator'] as const;
export type FuzzRole = (typeof FUZZ_ROLES)[number];

/** Most faults in the list; one root cause makes thousands. */
const MAX_FAULTS = 60;
/** Rate limits count by the minute; they have expired between two rounds. */
const ROUND_MS = 61_000;

export interface FuzzReport {
  /** Requests of each operation. */
  readonly cases: ReadonlyMap<string, number>;
  /** Requests of each operation that succeeded. */
  readonly successes: ReadonlyMap<string, number>;
  /** Bodies with a field that no contract has, and how many of their refusals named it. */
  readonly unknownFields: { readonly sent: number; readonly named: number };
  /** Answers that broke their contract. */
  readonly faults: readonly string[];
  /** Unexpected errors in the site's log: no input may cause one. */
  readonly errors: readonly string[];
}

/** pino's level of errors; levels below are warnings. */
const ERROR_LEVEL = 50;
const isError = (line: string): boolean => (JSON.parse(line) as { level: number }).level >= ERROR_LEVEL;

const isCall = (value: unknown): value is AnyCall =>
  typeof value === 'object' && value !== null && 'method' in value && 'path' in value && 'output' in value;

/** Every call of every contract, by name. */
export async function everyCall(): Promise<readonly AnyCall[]> {
  const calls = (await declaredBySlices()).filter(isCall);
  return [...new Map(calls.map((call) => [call.name, call])).values()]
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** A site with people, a live room and payments, and random calls to it. */
class Fuzzer {
  readonly #site: TestSite;
  readonly #dice: Dice;
  readonly #harvest = new Harvest();
  readonly #people = new Map<FuzzRole, Visitor>();
  readonly #operations: ReadonlyMap<string, Operation>;
  readonly #schemas = new Map<string, Schema>();
  readonly #blamed = new Set<string>();
  readonly cases = new Map<string, number>();
  readonly successes = new Map<string, number>();
  readonly unknownFields = { sent: 0, named: 0 };
  readonly faults: string[] = [];

  constructor(site: TestSite, dice: Dice, operations: ReadonlyMap<string, Operation>) {
    this.#site = site;
    this.#dice = dice;
    this.#operations = operations;
  }

  async populate(): Promise<void> {
    const performer = await this.#site.performer({ live: true });
    const member = await this.#site.viewer({ tokens: 500 });
    this.#harvest.learn({
      username: [performer.username, member.username],
      id: [performer.id, member.id],
      internal_id: ['1_50', '1_100'],
      biller: ['ccbill', 'btcpay', 'segpay'],
      day: ['2026-01-15'],
    });
    for (const role of FUZZ_ROLES) await this.#enters(role);
  }

  async #enters(role: FuzzRole): Promise<void> {
    const site = this.#site;
    const made: Record<FuzzRole, () => Promise<Visitor>> = {
      'guest': () => site.visitor({ ofAge: true }),
      // Admins may have lowered the marketing cap since, so a replacement gets no tokens.
      'member': () => site.viewer(this.#people.has('member') ? {} : { tokens: 1_000 }),
      'performer': () => site.performer({ live: true }),
      'site moderator': () => site.viewer({ roles: ['site_mod'] }),
      'admin': () => site.admin(),
      'operator': () => site.viewer({ roles: ['super_admin'] }),
    };
    const visitor = await made[role]();
    this.#people.set(role, visitor);
    if ('username' in visitor) this.#harvest.learn({ username: visitor.username });
  }

  /** Makes one request; logs in again if an earlier one ended the session. */
  async ask(call: AnyCall, role: FuzzRole): Promise<void> {
    const schema = this.#schemaOf(call);
    const made = caseFor(call, schema, this.#dice, this.#harvest);
    let answer = await this.#send(role, made);
    const isOut = answer.statusCode === 401 && role !== 'guest' && call.credential === 'cookie';
    if (isOut || answer.body.includes('"errorType":"csrf"')) {
      await this.#enters(role);
      answer = await this.#send(role, made);
    }
    count(this.cases, call.name);
    if (answer.statusCode < 400) {
      count(this.successes, call.name);
      if (!call.media) this.#harvest.learn(answer.json());
    }
    // Without its last part, an address is that of another call, which may have other methods.
    if (answer.statusCode === 405 && /\/(?:\?|$)/u.test(made.url)) return;
    const operation = this.#operations.get(call.name);
    const wrong = !operation ? 'not in the OpenAPI document' : broken(call, operation, {
      status: answer.statusCode,
      contentType: String(answer.headers['content-type'] ?? ''),
      body: answer.body,
    });
    this.#countUnknown(call, role, made, answer);
    if (wrong !== null) this.#blame(call, role, made, `${wrong} · ${answer.body.slice(0, 120)}`);
  }

  #schemaOf(call: AnyCall): Schema {
    const known = this.#schemas.get(call.name)
      ?? z.toJSONSchema(call.input, { io: 'input', unrepresentable: 'any' }) as Schema;
    this.#schemas.set(call.name, known);
    return known;
  }

  #send(
    role: FuzzRole,
    { method, url, body, contentType, idempotencyKey, bearer }: Case,
  ): ReturnType<Visitor['request']> {
    const visitor = this.#people.get(role);
    if (!visitor) throw new Error(`nobody is ${role}`);
    return visitor.request({
      method,
      url,
      ...(body === null ? {} : { payload: body }),
      headers: {
        'content-type': contentType ?? undefined,
        'idempotency-key': idempotencyKey ?? undefined,
        'authorization': bearer === null ? undefined : `Bearer ${bearer.replaceAll(/[^\x21-\x7E]/gu, 'x')}`,
      },
    });
  }

  /**
   * A body with an unknown field never succeeds; if only its shape is wrong, the refusal names the field.
   */
  #countUnknown(
    call: AnyCall,
    role: FuzzRole,
    made: Case,
    answer: { statusCode: number; body: string },
  ): void {
    const { kind, body } = made;
    if (kind !== 'unknown field' || !takesJson(call) || body === null) return;
    this.unknownFields.sent += 1;
    if (answer.body.includes(`"path":"${UNKNOWN_FIELD}"`)) this.unknownFields.named += 1;
    else if (answer.statusCode < 400) this.#blame(call, role, made, 'takes an unknown field');
  }

  #blame(call: AnyCall, role: FuzzRole, { kind, method, url, body }: Case, wrong: string): void {
    const cause = `${call.name} ${wrong.split(' · ', 1)[0] ?? ''}`;
    if (this.#blamed.has(cause) || this.faults.length >= MAX_FAULTS) return;
    this.#blamed.add(cause);
    this.faults.push(
      `${call.name} as ${role} (${kind}): ${wrong}\n    `
        + `${method} ${url.slice(0, 200)} ${body?.slice(0, 200) ?? ''}`,
    );
  }
}

const count = (counts: Map<string, number>, name: string): void => {
  counts.set(name, (counts.get(name) ?? 0) + 1);
};

/**
 * Calls every operation as every role this many times, with valid, nearly valid and invalid inputs, and
 * checks each answer against the OpenAPI document that the site serves.
 * @param rounds requests of each operation by each role
 */
export async function fuzzOperations(
  { seed, rounds }: { readonly seed: string; readonly rounds: number },
): Promise<FuzzReport> {
  const shop = await createShop({ checkOutputs: false });
  const { site } = shop;
  try {
    const document = (await (await site.visitor()).request({ url: '/api/v1/openapi.json' })).json<Document>();
    const dice = new Dice(seed);
    const fuzzer = new Fuzzer(site, dice, operationsOf(document));
    await fuzzer.populate();
    const calls = await everyCall();
    for (let round = 0; round < rounds; round += 1) {
      for (const call of dice.shuffled(calls)) {
        for (const role of FUZZ_ROLES) await fuzzer.ask(call, role);
      }
      await shop.passes(ROUND_MS);
    }
    const { cases, successes, unknownFields, faults } = fuzzer;
    return { cases, successes, unknownFields, faults, errors: site.log.filter(isError) };
  } finally {
    await shop.close();
  }
}

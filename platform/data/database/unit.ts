import type { AnyEvent, Channel, PayloadOf } from '#platform/contract/event.ts';
import type { AnyFact, FactPayload } from '#platform/contract/fact.ts';
import type { Transaction } from 'kysely';
import type { AuditLine, Deadline, Tx } from '../data.ts';
import { transactionOn } from './kysely.ts';
import type { Session } from './sessions.ts';

/**
 * The unit of work of one operator. Facts and socket events wait here and are written in one statement at the
 * end.
 */
export class Unit implements Tx {
  readonly operatorId: number;
  readonly now: Date;
  readonly #session: Session;
  readonly #development: boolean;
  readonly #transaction: Transaction<unknown>;
  readonly #facts: { name: string; key: string; payload: unknown }[] = [];
  readonly #events: { name: string; channel: Channel; payload: unknown; seq: number | undefined }[] = [];

  constructor(session: Session, operatorId: number, now: Date, development: boolean) {
    this.#session = session;
    this.operatorId = operatorId;
    this.now = now;
    this.#development = development;
    this.#transaction = transactionOn(session);
  }

  readonly sql = <Tables>(): Transaction<Tables> => this.#transaction as Transaction<Tables>;

  readonly publish = async <F extends AnyFact>(
    fact: F,
    key: string,
    payload: FactPayload<F>,
  ): Promise<void> => {
    if (this.#development) fact.shape.parse(payload);
    this.#facts.push({ name: fact.name, key, payload });
  };

  readonly send = async <E extends AnyEvent>(
    channel: Channel,
    event: E,
    payload: PayloadOf<E>,
    seq?: number,
  ): Promise<void> => {
    if (this.#development) event.shape.parse(payload);
    this.#events.push({ name: event.name, channel, payload, seq });
  };

  readonly lock = async (name: string, ...of: readonly (number | string)[]): Promise<void> => {
    const key = JSON.stringify([name, this.operatorId, ...of]);
    await this.#session.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [key]);
  };

  readonly audit = async (line: AuditLine): Promise<void> => {
    const { action, actorId, subject, reason = null, detail = {} } = line;
    await this.#session.query(
      `insert into platform.audit (at, action, actor_id, subject, reason, detail)
       values ($1, $2, $3, $4, $5, $6)`,
      [this.now, action, actorId, subject, reason, JSON.stringify(detail)],
    );
  };

  readonly schedule = async (item: Deadline): Promise<void> => {
    await this.#session.query(
      `insert into platform.due (kind, key, at, payload, ready_at) values ($1, $2, $3, $4, $3)
       on conflict (operator_id, kind, key) do update set at = excluded.at, payload = excluded.payload,
         ready_at = excluded.at, attempts = 0, parked = false, ticket = default
       where due.parked or due.held_until is not null or not $5::boolean`,
      [item.kind, item.key, item.at, JSON.stringify(item.payload ?? null), item.keepExisting ?? false],
    );
  };

  readonly unschedule = async (kind: string, key: string): Promise<void> => {
    await this.#session.query('delete from platform.due where kind = $1 and key = $2', [kind, key]);
  };

  /** Writes facts and events to the outbox: the last statement before the commit, when every lock is held. */
  async writeOutbox(): Promise<void> {
    if (this.#facts.length + this.#events.length === 0) return;
    await this.#session.query('select platform.write_outbox($1, $2, $3)', [
      JSON.stringify(this.#facts),
      JSON.stringify(this.#events),
      this.now,
    ]);
  }
}

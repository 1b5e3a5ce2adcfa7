/** The same tips on the same tables as an application without a ledger function would write them. */
import type { Operation } from '#product/ledger/server.ts';
import pg from 'pg';

/** One client: its own connection, prepared statements, a transaction per tip. */
export class NaiveClient {
  readonly #client: pg.Client;

  constructor(databaseUrl: string) {
    this.#client = new pg.Client({ connectionString: databaseUrl });
  }

  async open(operatorId: number): Promise<void> {
    await this.#client.connect();
    await this.#client.query(`set app.operator = '${operatorId}'`);
  }

  close(): Promise<void> {
    return this.#client.end();
  }

  async tip(operation: Operation, from: number, to: number, tokens: number): Promise<void> {
    await this.#client.query('begin');
    const { rows: [entry] } = await this.#ask(
      'entry',
      `insert into ledger.journal (operation, kind, parameter_hash, memo, at, facts, spending)
       values ($1, $2, $3, $4, now(), $5, 1) on conflict (operator_id, operation) do nothing returning id`,
      [
        operation.id,
        operation.kind,
        operation.parameterHash,
        JSON.stringify(operation.memo),
        JSON.stringify(operation.facts),
      ],
    );
    const journalId = Number(entry?.['id']);
    await this.#ask(
      'lock',
      `select balance from ledger.accounts
      where operator_id = platform.operator_id() and person_id = $1 and account = $2
      for update`,
      [from, 'tokens'],
    );
    await this.#ask('lock', '', [to, 'earnings']);
    const move = `update ledger.accounts set balance = balance + $3
      where operator_id = platform.operator_id() and person_id = $1 and account = $2 returning balance`;
    const { rows: [paid] } = await this.#ask('move', move, [from, 'tokens', -tokens]);
    const { rows: [earned] } = await this.#ask('move', move, [to, 'earnings', tokens]);
    await this.#ask(
      'postings',
      `insert into ledger.postings (journal_id, person_id, account, tokens, balance)
      values ($1, $2, 'tokens', $4, $5), ($1, $3, 'earnings', -$4, $6)`,
      [journalId, from, to, -tokens, paid?.['balance'], earned?.['balance']],
    );
    const { rows: [lot] } = await this.#ask(
      'lot',
      `update ledger.lots set tokens_left = tokens_left - $2
      where operator_id = platform.operator_id() and id = (
        select id from ledger.lots where operator_id = platform.operator_id() and person_id = $1 and is_open
        order by promotional desc, id limit 1) returning id`,
      [from, tokens],
    );
    await this.#ask('draw', 'insert into ledger.draws (journal_id, lot_id, tokens) values ($1, $2, $3)', [
      journalId,
      lot?.['id'],
      tokens,
    ]);
    const changed = {
      name: 'ledger.balanceChanged',
      key: `person:${from}`,
      payload: {
        operationId: operation.id,
        kind: operation.kind,
        changes: [{ personId: from, tokens: Number(paid?.['balance']), change: -tokens }],
      },
    };
    await this.#ask('publish', 'select platform.publish($1, now())', [
      JSON.stringify([changed, ...operation.facts]),
    ]);
    await this.#client.query('commit');
  }

  #ask(name: string, text: string, values: unknown[]): Promise<pg.QueryResult<Record<string, unknown>>> {
    return this.#client.query({ name, text, values });
  }
}

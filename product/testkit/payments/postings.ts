import { uuidV4 } from '#platform/data/ids.ts';
import { HOUR_MS } from '#platform/time/units.ts';
import type { Operation, PostOutcome } from '#product/ledger/server.ts';
import type { Member, TestSite } from '../site.ts';
import { rowsOf } from '../store/rows.ts';
import { of, operation, operatorLeg, type PersonBook } from './wallet.ts';

const purchase = (who: Member, tokens: number, cents: number): Operation =>
  operation('purchase', [
    operatorLeg('float', -tokens),
    of(who.id, 'tokens', tokens, { promotional: false, backingCents: cents }),
  ], {
    money: [
      { account: 'biller:ccbill', minor: cents, currency: 'USD' },
      { account: 'sales', minor: -cents, currency: 'USD' },
    ],
  });
const settle = (held: Operation, who: Member, to: Member, tokens: number, close = false): Operation =>
  operation('tick', tokens === 0 ? [] : [of(who.id, 'held', -tokens), of(to.id, 'earnings', tokens)], {
    settles: { hold: held.id, close },
  });

type Balances = Record<PersonBook, number>;

/**
 * What tests of the ledger post on a site, and what they read of its accounts.
 * @param siteOf the site, once there is one
 */
export function postings(siteOf: () => TestSite) {
  const hold = (who: Member, tokens: number, hours = 1): Operation =>
    operation('hold', [of(who.id, 'tokens', -tokens), of(who.id, 'held', tokens)], {
      hold: { expiresAt: new Date(siteOf().clock.now().getTime() + hours * HOUR_MS) },
    });
  const post = (...operations: Operation[]): Promise<readonly PostOutcome[]> =>
    siteOf().tx((tx) => siteOf().services.ledger.post(tx, operations));
  const statuses = async (...operations: Operation[]): Promise<string[]> =>
    (await post(...operations)).map(({ status }) => status);
  const reverse = (
    reversed: Operation,
    mode: 'refund' | 'chargeback',
    id = uuidV4(),
  ): Promise<PostOutcome> =>
    siteOf().tx((tx) =>
      siteOf().services.ledger.reverse(
        tx,
        { id, operation: reversed.id, mode, reason: 'test', actorId: null },
      )
    );
  const rows = async <Row>(text: string): Promise<Row[]> => siteOf().tx((tx) => rowsOf<Row>(tx, text));
  const balancesOf = async ({ id }: Member): Promise<Balances> => {
    const found = await rows<{ account: PersonBook; balance: number }>(
      `select account, balance from ledger.accounts where person_id = ${id}`,
    );
    const balances: Balances = { tokens: 0, earnings: 0, held: 0, debt: 0 };
    for (const { account, balance } of found) balances[account] = balance;
    return balances;
  };
  const lotsOf = ({ id }: Member): Promise<{ tokens: number; left: number; promotional: boolean }[]> =>
    rows(`select tokens, tokens_left as left, promotional from ledger.lots
    where person_id = ${id} order by id`);
  const pair = async (
    tokens = 0,
    cents = tokens * 10,
  ): Promise<{ viewer: Member; performer: Member }> => {
    const [viewer, performer] = [await siteOf().viewer(), await siteOf().viewer()];
    if (tokens > 0) await post(purchase(viewer, tokens, cents));
    return { viewer, performer };
  };
  return { balancesOf, hold, lotsOf, pair, post, purchase, reverse, rows, settle, statuses };
}

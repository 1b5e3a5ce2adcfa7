import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Order, RawCallback } from '../biller.ts';
import { simulatedAccounts } from '../simulators/accounts.ts';
import { xmlOf } from '../wire/xml.ts';
import { rocketgateBiller } from './biller.ts';
import { hashedQuery, linkHash, verified } from './hashed-link.ts';
import { readPostback } from './transaction.ts';

const { rocketgate } = simulatedAccounts('http://127.0.0.1:1', 'http://127.0.0.1:1');
const SECRET = 'hash-secret';
const PAIRS = [['id', 'customer 1'], ['merch', '1'], ['amount', '10.99'], ['currency', 'USD']] as const;
/** printf '%s' 'id=customer 1&merch=1&…&secret=hash-secret' | openssl dgst -sha1 -binary | base64 */
const HASH = 'oXO8jUGcs69As1akBYdSbZ0dMAc=';

const order: Order = {
  id: 'order-1',
  amount: { minor: 1099, currency: 'USD' },
  renewal: null,
  title: '100 tokens',
  returnUrl: 'https://shop.example/return',
  payer: { ref: 'p-1', email: null, country: null, address: null },
};
const card = { token: 'hash-1', face: { brand: 'VISA', first6: null, last4: '1111', expiry: null } };
const post = (body: string): RawCallback => ({
  method: 'POST',
  query: '',
  body,
  address: '203.0.113.1',
  headers: {},
});

describe('hashes of RocketGate', () => {
  it('cover the fields unencoded and in their order, with the secret behind them', () => {
    expect(linkHash(PAIRS, SECRET)).toBe(HASH);
    const query = hashedQuery(PAIRS, SECRET);
    expect(query).toBe(`id=customer%201&merch=1&amount=10.99&currency=USD&hash=${encodeURIComponent(HASH)}`);
    expect(verified(query, SECRET)).toEqual(new Map(PAIRS));
    expect(verified(query.replace('10.99', '0.99'), SECRET)).toBe('forged');
    expect(verified(query.replace('merch=1&amount=10.99', 'amount=10.99&merch=1'), SECRET)).toBe('forged');
  });
});

describe('postbacks', () => {
  const pairs: (readonly [string, string])[] = [
    ['transactionType', 'CC_PURCHASE'],
    ['merchantInvoiceID', 'order-1'],
    ['merchantCustomerID', 'p-1'],
    ['guidNo', '1000A'],
    ['responseCode', '0'],
    ['reasonCode', '0'],
    ['transactionTime', '1768478400'],
    ['approvedAmount', '10.99'],
    ['approvedCurrency', 'USD'],
    ['cardHash', 'h'],
    ['cardLastFour', '1111'],
    ['cardExpiration', '0429'],
    ['cardType', 'VISA'],
  ];
  const read = (change: Record<string, string> = {}) =>
    readPostback(
      post(hashedQuery(
        pairs.map(([name, value]) => [name, change[name] ?? value] as const),
        SECRET,
      )),
      SECRET,
    );

  it('say a sale with its card', () => {
    expect(read()).toMatchObject({
      kind: 'genuine',
      events: [{
        id: 'paid:1000A',
        orderId: 'order-1',
        amount: { minor: 1099, currency: 'USD' },
        subscription: null,
        card: { token: 'h', face: { brand: 'VISA', last4: '1111', expiry: '04/29' } },
        at: new Date('2026-01-15T12:00:00Z'),
      }],
    });
    expect(read({ responseCode: '1', reasonCode: '105' })).toMatchObject({
      events: [{ id: 'declined:1000A', decline: 'NDECLINEDINSFUNDS', amount: null }],
    });
    expect(read({ approvedAmount: '10.999' }).kind).toBe('unreadable');
    expect(read({ transactionType: 'CC_AUTH' })).toEqual({ kind: 'genuine', events: [] });
    expect(readPostback(post('hash=x'), SECRET).kind).toBe('forged');
  });

  it('never throw, whatever comes', () => {
    const name = fc.constantFrom(...pairs.map(([one]) => one));
    fc.assert(fc.property(fc.dictionary(name, fc.string()), (change) => {
      expect(['genuine', 'unreadable', 'forged']).toContain(read(change).kind);
    }));
    fc.assert(fc.property(fc.string(), (body) => {
      expect(['unreadable', 'forged']).toContain(readPostback(post(body), SECRET).kind);
    }));
  });
});

describe('the gateway', () => {
  /**
   * Successive answers of the gateways; a number is a status without a body, an error a failed connection.
   */
  function asking(answers: readonly (Record<string, string> | Error)[]) {
    const sent: string[] = [];
    const settings = { ...rocketgate, gateways: ['http://one.example', 'http://two.example'] };
    const biller = rocketgateBiller(settings, {
      now: () => new Date('2026-01-15T12:00:00Z'),
      fetch: async (input, init) => {
        const answer = answers[sent.length];
        const { hostname } = new URL(input instanceof Request ? input.url : input);
        sent.push(`${hostname} ${String(init?.body)}`);
        if (answer instanceof Error) throw answer;
        return new Response(xmlOf('gatewayResponse', answer ?? {}));
      },
    });
    return { biller, sent };
  }
  const approved = {
    responseCode: '0',
    reasonCode: '0',
    guidNo: '1000A',
    approvedAmount: '10.99',
    approvedCurrency: 'USD',
  };
  const failing = (code: string): Error => new TypeError('fetch failed', { cause: { code } });

  it('is asked for a purchase in version K2.4, and then to confirm it', async () => {
    const { biller, sent } = asking([approved, { responseCode: '0' }]);
    expect(await biller.charge(order, card)).toMatchObject({
      kind: 'paid',
      event: { id: 'paid:1000A', card },
    });
    expect(sent[0]).toBe(
      'one.example <?xml version="1.0" encoding="UTF-8"?><gatewayRequest>'
        + '<version>K2.4</version><merchantID>1</merchantID>'
        + '<merchantPassword>password-of-the-simulator</merchantPassword>'
        + '<transactionType>CC_PURCHASE</transactionType><merchantCustomerID>p-1</merchantCustomerID>'
        + '<merchantInvoiceID>order-1</merchantInvoiceID><amount>10.99</amount><currency>USD</currency>'
        + '<cardHash>hash-1</cardHash></gatewayRequest>',
    );
    expect(sent[1]).toContain(
      '<transactionType>CC_CONFIRM</transactionType>'
        + '<referenceGUID>1000A</referenceGUID>',
    );
  });

  it('that failed is named to the next one, which makes the purchase', async () => {
    const failed = { responseCode: '3', reasonCode: '304', guidNo: '1000F' };
    const { biller, sent } = asking([failed, approved, { responseCode: '0' }]);
    expect((await biller.charge(order, card)).kind).toBe('paid');
    expect(sent[1]).toContain('two.example');
    expect(sent[1]).toContain(
      '<failedServer>one.example</failedServer>'
        + '<failedResponseCode>3</failedResponseCode><failedReasonCode>304</failedReasonCode>'
        + '<failedGUID>1000F</failedGUID>',
    );
    expect(sent[2]).toContain('two.example');
  });

  it('that cannot be reached is passed over; one that may have acted is not', async () => {
    const { biller, sent } = asking([failing('ECONNREFUSED'), approved, { responseCode: '0' }]);
    expect((await biller.charge(order, card)).kind).toBe('paid');
    expect(sent).toHaveLength(3);
    const cut = asking([failing('ECONNRESET'), approved]);
    expect((await cut.biller.charge(order, card)).kind).toBe('unknown');
    expect(cut.sent).toHaveLength(1);
    const gone = asking([failing('ECONNREFUSED'), failing('ENOTFOUND')]);
    expect((await gone.biller.charge(order, card)).kind).toBe('unreachable');
  });

  it('that approved without confirming leaves the outcome unknown', async () => {
    expect((await asking([approved, failing('ECONNRESET')]).biller.charge(order, card)).kind).toBe('unknown');
    expect((await asking([approved, { responseCode: '3' }]).biller.charge(order, card)).kind).toBe('unknown');
    const all = [{ responseCode: '3' }, { responseCode: '3' }];
    expect((await asking(all).biller.charge(order, card)).kind).toBe('unknown');
  });
});

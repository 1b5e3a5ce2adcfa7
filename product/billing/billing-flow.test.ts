import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import de from './messages/de.json';
import en from './messages/en.json';
import es from './messages/es.json';
import fr from './messages/fr.json';
import it_ from './messages/it.json';
import nl from './messages/nl.json';
import { DECLINE_CODES, framePath, ORDER_STATES } from './rules.ts';
import { verifyPath } from './rules/payments/card-check.ts';
import { cardExpiry, isCardNumber, isExpiryGood, isSecurityCode } from './rules/payments/card-number.ts';
import { linkStep, purchaseStep, waitStep } from './rules/payments/flow.ts';
import {
  afterFrame,
  declineText,
  declineWays,
  orderOfReturn,
  paymentReturn,
  returnDestination,
} from './rules/payments/payment-return.ts';
import {
  firstPromoCode,
  joinView,
  moneyQuery,
  promoReshowMs,
  reUpStep,
  showsPostpay,
  showsPromoOffer,
  showsTokenForm,
} from './rules/prompts.ts';

const query = (text: string): URLSearchParams => new URLSearchParams(text);
const HOST = 'www.cam.example';
const buyer = fc.record({
  isCountryBlocked: fc.boolean(),
  isPostpay: fc.boolean(),
  isGuest: fc.boolean(),
  isModel: fc.boolean(),
  isCompliancePending: fc.boolean(),
});

describe('the way to tokens', () => {
  it('is checked in one order: country, post-pay, guest, model', () => {
    fc.assert(fc.property(buyer, (who) => {
      const expected = who.isCountryBlocked ? 'country' : who.isPostpay ? 'postpay_card' : who.isGuest
        ? 'signup'
        : who.isModel || who.isCompliancePending
        ? 'account'
        : 'products';
      expect(purchaseStep(who)).toBe(expected);
    }));
  });

  it('continues from a link, and shows no decline before the outcome', () => {
    expect(linkStep({ status: true, link: null, state: 'paid' })).toEqual({ kind: 'success' });
    expect(linkStep({ status: false, link: 'https://pay.example/x', state: 'pending' }))
      .toEqual({ kind: 'page', link: 'https://pay.example/x' });
    expect(linkStep({ status: false, link: null, state: 'declined' })).toEqual({ kind: 'declined' });
    for (const state of ['created', 'pending', 'unknown']) {
      expect(linkStep({ status: false, link: null, state })).toEqual({ kind: 'wait' });
      expect(waitStep(state)).toBe('wait');
    }
    expect(ORDER_STATES.filter((state) => waitStep(state) === 'success')).toEqual(['paid']);
    expect(linkStep({ status: false, link: null, state: 'expired' })).toEqual({ kind: 'failed' });
  });
});

describe('a payment return', () => {
  it('with ans Y is a success, with N a failure with its reason, else none', () => {
    expect(paymentReturn(query('ans=Y123|9&order_id=o1'))).toEqual({ kind: 'success', orderId: 'o1' });
    expect(paymentReturn(query('ans=NEXPIRED|12&transaction_id=T7')))
      .toEqual({ kind: 'failure', reason: 'NEXPIRED', reference: 'T7', orderId: null });
    expect(paymentReturn(query('ans=NOBODY&order_id=o2')))
      .toEqual({ kind: 'failure', reason: null, reference: null, orderId: 'o2' });
    expect(paymentReturn(query('ans=P&order_id=o1'))).toEqual({ kind: 'success', orderId: 'o1' });
    expect(paymentReturn(query('page=2&ans='))).toBeNull();
    // The return is about one of this person's orders: the named one, or their newest while it is open.
    const [mine, open, paid] = [{ id: 'o1', state: 'paid' }, { id: 'o9', state: 'pending' }, {
      id: 'o9',
      state: 'paid',
    }];
    const [named, unnamed] = [paymentReturn(query('ans=Y&order_id=o1')), paymentReturn(query('ans=Y'))];
    if (!named || !unnamed) throw new Error('a return was not read');
    expect([orderOfReturn(named, mine, null), orderOfReturn(named, null, open)]).toEqual([mine, null]);
    expect([null, open, paid].map((newest) => orderOfReturn(unnamed, null, newest)))
      .toEqual([null, open, null]);
  });

  it('returns to a path of this site only', () => {
    expect(returnDestination('/luna_vale?tab=chat')).toBe('/luna_vale?tab=chat');
    const elsewhere = [
      '//evil.example',
      '/\\evil.example',
      'https://evil.example',
      '',
      `/${'x'.repeat(600)}`,
      '/a b',
    ];
    expect(elsewhere.map(returnDestination)).toEqual(elsewhere.map(() => null));
    expect(afterFrame(query('model=luna_vale'), '/begun', HOST)).toBe('/luna_vale');
    expect(afterFrame(query('model=//evil.example'), '/begun', HOST)).toBe('/begun');
    expect(afterFrame(query('type=verify'), null, HOST)).toBe('/account/verify');
    expect(afterFrame(query('type=verify'), null, 'fling.cam.example')).toBe('/verify');
  });

  it('out of a frame takes along only the order, by id, type and model', () => {
    const order = '6a5c4a52-9e2b-4c1f-8a53-1f7a5c2b9d10';
    const path = framePath('/luna_vale?tab=chat', order);
    expect(path).toBe(`/enter.php?id=${order}&type=purchase&model=luna_vale&order_id=${order}`);
    const { searchParams } = new URL(path, 'http://cam.test');
    expect(afterFrame(searchParams, '/begun', HOST)).toBe(`/luna_vale?order_id=${order}`);
    expect(framePath('/account/tokens', order)).not.toContain('model=');
    expect(framePath('//evil.example', order)).not.toContain('evil');
    expect(afterFrame(query(`id=${order}&type=purchase`), '/a?b=c', HOST)).toBe(`/a?b=c&order_id=${order}`);
    expect(afterFrame(query(`id=${order}&type=verify`), null, HOST)).toBe('/account/verify');
    expect(afterFrame(query('ans=NEXPIRED&order_id=o&transaction_id=7&evil=1'), null, HOST))
      .toBe('/?ans=NEXPIRED&transaction_id=7&order_id=o');
  });

  const said = (code: (typeof DECLINE_CODES)[number] | null): string =>
    en.web.decline[declineText(code) as keyof typeof en.web.decline];
  it.each(
    [
      ['NBADZIP', /postal code/iu],
      ['NDECLINED', /bank declined.*new card.*another way/iu],
      ['NDECLINEDE', /5 minutes/iu],
      ['NDECLINEDINSFUNDS', /enough funds/iu],
      ['NEXPIRED', /bank declined/iu],
      ['NINVCVV2', /CVV2/u],
      ['NMYACNOTACCEPTED', /ACH/u],
      ['NMYAMNOTACCEPTED', /American Express/u],
      ['NMYDDNOTACCEPTED', /direct debit/iu],
      ['NMYDNVEL', /too many/iu],
      ['NMYDSNOTACCEPTED', /Discover/u],
      ['NMYINVAMT', /contact your bank/iu],
      ['NMYINVAUTHCODE', /authorisation code/iu],
      ['NMYINVINFO', /bank declined/iu],
      ['NMYINVTRANSTYPE', /action/iu],
      ['NMYMCNOTACCEPTED', /Mastercard/u],
      ['NMYRETRY', /try again/iu],
      ['NMYSERVNOTALLOWED', /service is not allowed/iu],
      ['NMYVSNOTACCEPTED', /Visa/u],
    ] as const,
  )('the return with the code %s is said in words', (code, words) => {
    const back = paymentReturn(query(`ans=${code}&transaction_id=1`));
    expect(back?.kind === 'failure' ? said(back.reason) : null).toMatch(words);
  });
  it('has a text for verification, and "Declined" for an unknown code', () => {
    expect(said('VERIFY')).toMatch(/verified/iu);
    const back = paymentReturn(query('ans=NWHATEVER'));
    expect(back?.kind === 'failure' ? said(back.reason) : null).toBe('Declined');
  });

  it('has a text for every code in six languages', () => {
    for (const { web } of [en, de, es, fr, it_, nl]) {
      const texts = web.decline as Readonly<Record<string, string>>;
      for (const code of [...DECLINE_CODES, null]) {
        expect(texts[declineText(code)]?.length).toBeGreaterThan(5);
      }
    }
  });

  it('offers all four ways after a decline, the likeliest first', () => {
    for (const code of [...DECLINE_CODES, null]) {
      expect(declineWays(code).toSorted()).toEqual(['adjust', 'other_biller', 'other_card', 'verify']);
    }
    expect([declineWays('VERIFY')[0], declineWays('NDECLINEDINSFUNDS')[0], declineWays('NMYDNVEL')[0]])
      .toEqual(['verify', 'adjust', 'other_biller']);
    expect(declineWays('NINVCVV2')[0]).toBe('other_card');
  });
});

describe('what opens automatically', () => {
  const at = { member: true, postpay: true, path: '/', seen: false, ageRequired: false };
  it('the post-pay modal: once, for members on post-pay', () => {
    expect(showsPostpay(at)).toBe(true);
    for (const other of [{ member: false }, { postpay: false }, { seen: true }, { ageRequired: true }]) {
      expect(showsPostpay({ ...at, ...other })).toBe(false);
    }
  });

  it('and on none of the quiet routes', () => {
    for (const path of ['/affiliates', '/affiliates/x', '/free-register/connect', '/models/signup']) {
      expect(showsPostpay({ ...at, path })).toBe(false);
    }
    expect(showsPostpay({ ...at, path: '/affiliates_fan' })).toBe(true);
  });

  const visitor = { member: true, model: false, hasPurchase: false, path: '/' };
  it('the token form: every third visit of members without a purchase', () => {
    const visits = Array.from({ length: 9 }, (_, before) => before + 1);
    expect(visits.filter((count) => showsTokenForm(visitor, count))).toEqual([3, 6, 9]);
    for (const other of [{ member: false }, { model: true }, { hasPurchase: true }, {
      path: '/account/card',
    }]) {
      expect(showsTokenForm({ ...visitor, ...other }, 3)).toBe(false);
    }
  });

  it('the promo offer: by advert, promo, login and route', () => {
    const special = { advertId: 'xv300wo', promo: 'spl' };
    expect(showsPromoOffer({ ...visitor, member: false }, special)).toBe(true);
    expect(showsPromoOffer({ ...visitor, member: false }, { ...special, promo: 'other' })).toBe(false);
    expect(showsPromoOffer(visitor, { advertId: null, promo: 'other' })).toBe(true);
    for (const other of [{ model: true }, { hasPurchase: true }, { path: '/models/signup' }, {
      path: '/login',
    }]) {
      expect(showsPromoOffer({ ...visitor, ...other }, special)).toBe(false);
    }
  });

  it('a closed promo offer comes once more after 60 s, for some adverts, without a purchase', () => {
    const advert = { advertId: 'xv300fco' };
    expect(promoReshowMs({ hasPurchase: false }, advert, 1)).toBe(60_000);
    expect(promoReshowMs({ hasPurchase: false }, advert, 2)).toBeNull();
    expect(promoReshowMs({ hasPurchase: true }, advert, 1)).toBeNull();
    expect(promoReshowMs({ hasPurchase: false }, { advertId: 'other' }, 1)).toBeNull();
  });

  it('after a re-up: a toast, the declined modal, or support', () => {
    expect(reUpStep({ success: true, error: null })).toBe('done');
    expect(reUpStep({ success: false, error: 'verification_required' })).toBe('declined');
    expect(reUpStep({ success: false, error: 'contact_support' })).toBe('support');
    for (const error of ['declined', 'limit', null, 'other']) {
      expect(reUpStep({ success: false, error })).toBe('failed');
    }
    expect(en.web.toast.reUp).toBe('Auto re-up successful! {{n}} tokens added to your balance');
    expect(en.web.toast.reUpFailed).toBe('Auto re-up failed');
  });
});

describe('the address', () => {
  it('is parsed, without values that are too long or odd', () => {
    expect(moneyQuery(query('crypto=1&token_form&cashtocode_country_code=de&free_tokens=100&av=1')))
      .toMatchObject({ crypto: true, tokenForm: true, voucherCountry: 'DE', freeTokens: true, verify: true });
    expect(moneyQuery(query(`crypto=0&cashtocode_country_code=germany&prg=${'x'.repeat(65)}`)))
      .toMatchObject({ crypto: false, voucherCountry: null, promo: null, tokenForm: false });
  });

  it('includes promo, join form and tests', () => {
    expect(moneyQuery(query('prg=spl&promo=nwh&join_form=4&_disabled_join_form=1&custom_promo_test=t1')))
      .toMatchObject({ promo: 'spl', joinForm: '4', joinFormDisabled: true, promoTest: 't1' });
    expect([firstPromoCode(null), firstPromoCode('SUMMER')]).toEqual(['FREE_TOKENS', 'SUMMER']);
  });

  it('of card verification differs on a fling subdomain', () => {
    expect(verifyPath('www.cam.example')).toBe('/account/verify?type=rocketgate');
    expect(verifyPath('fling.cam.example')).toBe('/verify');
  });

  it('shows exactly one variant of the join offer', () => {
    const none = { join_form: null, regular: null, promo: null };
    expect(joinView({ ...none, join_form: '4' })).toBe('account');
    expect(joinView({ ...none, regular: [1] })).toBe('welcome_back');
    expect(joinView({ ...none, promo: { link: '/x' } })).toBe('promo');
    expect(joinView({ ...none, regular: [] })).toBe('free');
  });
});

describe('a typed card', () => {
  it('has 13 to 19 digits with a check digit, and one wrong digit is detected', () => {
    const good = ['4111 1111 1111 1111', '5555-5555-5555-4444', '378282246310005'];
    expect(good.map(isCardNumber)).toEqual([true, true, true]);
    // All-zero numbers pass the check digit at any length, so this checks the lengths alone.
    expect([12, 13, 19, 20].map((length) => isCardNumber('0'.repeat(length))))
      .toEqual([false, true, true, false]);
    expect(['', '411111111111', '4111111111111112', '4111a11111111111'].map(isCardNumber))
      .toEqual([false, false, false, false]);
    fc.assert(fc.property(fc.integer({ min: 0, max: 15 }), fc.integer({ min: 1, max: 9 }), (place, by) => {
      const digits = [...'4111111111111111'];
      digits[place] = String((Number(digits[place]) + by) % 10);
      expect(isCardNumber(digits.join(''))).toBe(false);
    }));
  });

  it('lasts through its month', () => {
    const now = new Date('2026-11-21T00:00:00Z');
    expect(
      ['11/26', '1126', '12/2030', '10/26', '13/30', '00/30', '12/60', ''].map((typed) =>
        isExpiryGood(typed, now)
      ),
    )
      .toEqual([true, true, true, false, false, false, false, false]);
    expect(cardExpiry('4/29')).toEqual({ month: 4, year: 2029 });
    expect(['123', '1234', '12', '12a', '12345'].map(isSecurityCode)).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]);
  });
});

import { expect, it } from 'vitest';
import { sendCard, tokenAnswer, tokenBody } from './token-service.ts';

it('is sent in the token service\'s format, and its response is validated', () => {
  const card = {
    number: '4111 1111 1111 1111',
    expiry: '04/29',
    code: '123',
    name: 'Ada M Viewer',
    country: 'CA',
    state: 'ON',
    postalCode: 'K1A',
    email: null,
  };
  expect(tokenBody(card, { clientAccnum: '900100' })).toEqual({
    clientAccnum: '900100',
    cardNumber: '4111111111111111',
    cvv2: '123',
    nameOnCard: 'Ada M Viewer',
    firstName: 'Ada M',
    lastName: 'Viewer',
    expMonth: '04',
    expYear: '2029',
    country: 'CA',
    province: 'ON',
    postalCode: 'K1A',
  });
  expect(tokenAnswer(201, { paymentTokenId: 't' })).toEqual({ kind: 'token', token: 't' });
  expect(tokenAnswer(400, { errors: [{ propertyName: 'expYear' }, { propertyName: 'odd' }] }))
    .toEqual({ kind: 'wrong', fields: ['expiry'] });
  expect([
    tokenAnswer(401, null),
    tokenAnswer(500, 'no'),
    tokenAnswer(201, {}),
    tokenAnswer(400, {
      errors: 'x',
    }),
  ]
    .map(({ kind }) => kind)).toEqual(['expired', 'failed', 'failed', 'failed']);
});

it('is sent to the token service only, without cookies and referrer', async () => {
  const sent: [string, RequestInit | undefined][] = [];
  const send = (async (url: string, init?: RequestInit) => {
    sent.push([url, init]);
    return Response.json({ paymentTokenId: 't' }, { status: 201 });
  }) as typeof fetch;
  const form = { biller: 'ccbill', url: 'https://tokens.example/x', bearer: 'b', fields: {} };
  const card = {
    number: '4111111111111111',
    expiry: '04/29',
    code: '123',
    name: 'Ada',
    country: 'DE',
    state: '',
    postalCode: '1',
    email: 'ada@people.example',
  };
  expect(await sendCard(form, card, send)).toEqual({ kind: 'token', token: 't' });
  expect(sent).toMatchObject([['https://tokens.example/x', {
    credentials: 'omit',
    referrerPolicy: 'no-referrer',
  }]]);
  const offline = (async () => {
    throw new TypeError('offline');
  }) as typeof fetch;
  expect(await sendCard(form, card, offline)).toEqual({ kind: 'failed' });
});

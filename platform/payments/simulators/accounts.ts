import type { BillerSettings } from '../billers.ts';

/** The address that callbacks of a simulator on this machine come from. */
const LOOPBACK = ['127.0.0.0/8', '::1/128'] as const;
const DESCRIPTOR = 'CANDELA TEST';

/**
 * Accounts at the simulators. Their secrets protect nothing but a simulator. `api` is the address of the
 * simulators for our server, `pages` their address for browsers.
 */
export function simulatedAccounts(api: string, pages: string): Required<BillerSettings> {
  // Pages for cards may be shown in a frame; those for crypto and vouchers are for another device or a till.
  const inFrame = [new URL(pages).origin];
  return {
    ccbill: {
      api: `${api}/ccbill`,
      datalink: `${api}/ccbill`,
      pages: `${pages}/ccbill`,
      account: 900_100,
      subaccount: 3,
      application: { id: 'test-charges', secret: 'charges-of-the-simulator' },
      widget: { id: 'test-widget', secret: 'widget-of-the-simulator' },
      form: { id: '5f1e9a2c-test', salt: 'salt-of-the-simulator' },
      report: { id: 'test-report', secret: 'report-of-the-simulator' },
      reportSeconds: 0,
      networks: LOOPBACK,
      descriptor: DESCRIPTOR,
      inFrame,
    },
    segpay: {
      pages: `${pages}/segpay/billing/poset.cgi`,
      api: `${api}/segpay`,
      merchant: '20100',
      user: { id: 'test-user', accessKey: 'key-of-the-simulator' },
      tickets: {
        USD: { single: '100:1-USD', renewing: '100:2-USD' },
        EUR: { single: '100:3-EUR', renewing: '100:4-EUR' },
        GBP: { single: '100:5-GBP', renewing: '100:6-GBP' },
      },
      postbackKey: 'postbacks-of-the-simulator',
      networks: LOOPBACK,
      paypal: true,
      descriptor: DESCRIPTOR,
      inFrame,
    },
    rocketgate: {
      gateways: [`${api}/rocketgate`, `${api}/rocketgate`],
      pages: `${pages}/rocketgate`,
      reports: `${api}/rocketgate`,
      merchant: '1',
      password: 'password-of-the-simulator',
      hashSecret: 'links-of-the-simulator',
      descriptor: DESCRIPTOR,
      inFrame,
    },
    nowpayments: {
      api: `${api}/nowpayments`,
      apiKey: 'key-of-the-simulator',
      ipnSecret: 'notifications-of-the-simulator',
      callback: null,
      report: { email: 'report@example.com', password: 'report-of-the-simulator' },
      descriptor: DESCRIPTOR,
    },
    btcpay: {
      api: `${api}/btcpay`,
      store: 'test-store',
      apiKey: 'key-of-the-simulator',
      webhookSecret: 'webhooks-of-the-simulator',
      descriptor: DESCRIPTOR,
    },
    cashtocode: {
      api: `${api}/cashtocode`,
      merchant: 'test-merchant',
      password: 'password-of-the-simulator',
      signature: {
        header: 'x-cashtocode-signature',
        algorithm: 'sha256',
        secret: 'callbacks-of-the-simulator',
      },
      descriptor: DESCRIPTOR,
    },
  };
}

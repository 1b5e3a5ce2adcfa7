import { isOrigin } from '#platform/contract/document-policy.ts';
import type { Biller, Outside } from './biller.ts';
import { btcpayBiller, type BtcpaySettings } from './btcpay/biller.ts';
import { cashtocodeBiller, type CashtocodeSettings } from './cashtocode/biller.ts';
import { ccbillBiller } from './ccbill/biller.ts';
import type { CcbillSettings } from './ccbill/settings.ts';
import { nowpaymentsBiller, type NowpaymentsSettings } from './nowpayments/biller.ts';
import { rocketgateBiller } from './rocketgate/biller.ts';
import type { RocketgateSettings } from './rocketgate/settings.ts';
import { segpayBiller } from './segpay/biller.ts';
import type { SegpaySettings } from './segpay/settings.ts';

/** Settings of an account besides those of its adapter. */
interface Framing {
  /** Origins of the biller's pages that this shop may show in a frame: `https://pay.example`. */
  readonly inFrame?: readonly string[];
}

/** Accounts of one operator at processors. */
export interface BillerSettings {
  readonly ccbill?: CcbillSettings & Framing;
  readonly segpay?: SegpaySettings & Framing;
  readonly rocketgate?: RocketgateSettings & Framing;
  readonly nowpayments?: NowpaymentsSettings & Framing;
  readonly btcpay?: BtcpaySettings & Framing;
  readonly cashtocode?: CashtocodeSettings & Framing;
}

/**
 * A biller with the frames its account allows. Throws when one is not an origin, because it would allow more.
 */
function framed(biller: Biller, { inFrame: frames = [] }: Framing): Biller {
  const wrong = frames.filter((origin) => !isOrigin(origin));
  if (wrong.length > 0) throw new RangeError(`inFrame of ${biller.name} takes origins: ${wrong.join(', ')}`);
  return { ...biller, frames };
}

/** The billers an operator has accounts with, in the order they are offered. Without any, nothing is sold. */
export function billersFor(settings: BillerSettings, outside: Outside): readonly Biller[] {
  const { ccbill, segpay, rocketgate, nowpayments, btcpay, cashtocode } = settings;
  const billers = [
    ccbill && framed(ccbillBiller(ccbill, outside), ccbill),
    segpay && framed(segpayBiller(segpay, outside), segpay),
    rocketgate && framed(rocketgateBiller(rocketgate, outside), rocketgate),
    nowpayments && framed(nowpaymentsBiller(nowpayments, outside), nowpayments),
    btcpay && framed(btcpayBiller(btcpay, outside), btcpay),
    cashtocode && framed(cashtocodeBiller(cashtocode, outside), cashtocode),
  ];
  return billers.filter((biller) => biller !== undefined);
}

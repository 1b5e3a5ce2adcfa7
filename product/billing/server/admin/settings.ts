import { handleCall, type CallHandler } from '#platform/contract/bind.ts';
import type { OutputOf } from '#platform/contract/call.ts';
import type { Tx } from '#platform/data/data.ts';
import type { Biller } from '#platform/payments/biller.ts';
import { billerUnavailable } from '../../contract.ts';
import { changeBillingRules, getBillingRules } from '../../contract/operator.ts';
import { settingsErrors, SWITCHES, type BillingSettings } from '../../rules.ts';
import { lockSettings, mergeSettings } from '../../store.ts';
import { configurationOf, type BillingDependencies } from '../dependencies.ts';
import { CONFIGURE, noteChange, type Change } from './changes.ts';

/** Settings to change; switches one by one. */
export type SettingsChange = Partial<Omit<BillingSettings, 'switches'>> & {
  readonly switches?: Partial<BillingSettings['switches']>;
};

/** Settings as in the audit log: each switch by its name. */
const audited = ({ switches, ...rest }: BillingSettings): Change['before'] => ({ ...rest, ...switches });

/** Changes the given settings and writes to the audit log; throws for wrong values. */
export async function configure(
  tx: Tx,
  change: SettingsChange,
  { actorId, action = CONFIGURE, reason }: Pick<Change, 'actorId' | 'reason'> & { readonly action?: string },
): Promise<void> {
  await lockSettings(tx);
  const { switches, ...rest } = change;
  const { settings: before } = await configurationOf(tx);
  const next = { ...rest, ...(switches ? { switches: { ...before.switches, ...switches } } : {}) };
  const faults = settingsErrors(next);
  if (faults.length > 0) throw new Error(`these billing settings have wrong values: ${faults.join(', ')}`);
  await mergeSettings(tx, next);
  await noteChange(tx, {
    action,
    actorId,
    what: null,
    before: audited(before),
    after: audited({ ...before, ...next }),
    ...(reason === undefined ? {} : { reason }),
  });
}

const sortedSet = (values: readonly string[]): string[] => [...new Set(values)].toSorted();

/** Whether the account at a biller allows its pages in a frame of ours. */
const canFrame = ({ frames = [] }: Biller): boolean => frames.length > 0;

const viewOf = (settings: BillingSettings, billers: readonly Biller[]): OutputOf<typeof getBillingRules> => ({
  switches: SWITCHES.map((name) => ({ name, on: settings.switches[name] })),
  daily_limit_cents: settings.dailyLimitCents,
  postpay_tokens: settings.postpayTokens,
  gifts_per_address: settings.giftsPerAddress,
  gifts_per_device: settings.giftsPerDevice,
  sign_up_tokens: settings.signUpTokens,
  wheel_blocked_countries: [...settings.wheelBlockedCountries],
  purchase_blocked_countries: [...settings.purchaseBlockedCountries],
  billers: billers.map((biller) => ({
    name: biller.name,
    can_frame: canFrame(biller),
    framed: settings.framedBillers.includes(biller.name),
  })),
});

/** Switches and limits, for the admin page of products and offers. */
export const settingsHandlers = ({ data, billersOf }: BillingDependencies): CallHandler[] => [
  handleCall(getBillingRules)((_input, { scope }) =>
    data.tx(scope, async (tx) => viewOf((await configurationOf(tx)).settings, billersOf(scope.operatorId)))
  ),
  handleCall(changeBillingRules)((input, { scope, personId, refuse }) =>
    data.tx(scope, async (tx) => {
      const { daily_limit_cents: dailyLimitCents, postpay_tokens: postpayTokens, reason } = input;
      const { wheel_blocked_countries: noWheel, purchase_blocked_countries: noPurchase } = input;
      const { framed_billers: framed } = input;
      const { gifts_per_address: giftsPerAddress, gifts_per_device: giftsPerDevice } = input;
      const { sign_up_tokens: signUpTokens } = input;
      const billers = billersOf(scope.operatorId);
      const able = new Set(billers.filter(canFrame).map(({ name }) => name));
      if (framed?.some((name) => !able.has(name))) return refuse(billerUnavailable);
      await configure(tx, {
        ...(input.switches === undefined
          ? {}
          : { switches: Object.fromEntries(input.switches.map(({ name, on }) => [name, on])) }),
        ...(dailyLimitCents === undefined ? {} : { dailyLimitCents }),
        ...(postpayTokens === undefined ? {} : { postpayTokens }),
        ...(giftsPerAddress === undefined ? {} : { giftsPerAddress }),
        ...(giftsPerDevice === undefined ? {} : { giftsPerDevice }),
        ...(signUpTokens === undefined ? {} : { signUpTokens }),
        ...(noWheel === undefined ? {} : { wheelBlockedCountries: sortedSet(noWheel) }),
        ...(noPurchase === undefined ? {} : { purchaseBlockedCountries: sortedSet(noPurchase) }),
        ...(framed === undefined ? {} : { framedBillers: sortedSet(framed) }),
      }, { actorId: personId, action: changeBillingRules.name, reason });
      return viewOf((await configurationOf(tx)).settings, billers);
    })
  ),
];

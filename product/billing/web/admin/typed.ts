import { textOf } from '../../../../platform/ui/calls/form.ts';
import { minorOf } from '../../rules/assortment.ts';
import { digitsOf, type AmountView } from '../money.tsx';

/** An amount as its field shows it: digits alone, in the currency's large unit. */
export function typedAmount({ minor, currency }: AmountView): string {
  const digits = digitsOf(currency);
  return (minor / 10 ** digits).toFixed(digits);
}

/** Minor units of what was typed; -1, which every call refuses, for what is no amount. */
export const minorTyped = (fields: FormData, name: string, currency: string): number =>
  minorOf(textOf(fields, name), digitsOf(currency)) ?? -1;

/** Codes of countries, however they were put apart. */
export const countriesTyped = (fields: FormData, name: string): string[] =>
  textOf(fields, name).toUpperCase().split(/[\s,;]+/u).filter((one) => one !== '');

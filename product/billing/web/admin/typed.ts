import { textOf } from '../../../../platform/ui/calls/form.ts';
import { currencyDigits } from '../../../../platform/text/money.ts';
import { minorOf } from '../../rules/assortment.ts';

/** Minor units of what was typed; -1, which every call refuses, for what is no amount. */
export const minorTyped = (fields: FormData, name: string, currency: string): number =>
  minorOf(textOf(fields, name), currencyDigits(currency)) ?? -1;

/** Codes of countries, however they were put apart. */
export const countriesTyped = (fields: FormData, name: string): string[] =>
  textOf(fields, name).toUpperCase().split(/[\s,;]+/u).filter((one) => one !== '');

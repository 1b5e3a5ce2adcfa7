import { currencyDigits } from '#platform/text/money.ts';
import { textOf } from '#platform/ui/forms/form.ts';
import { minorOf } from '../../rules/product-cost.ts';

/** Parses a typed amount into minor units; -1 if invalid, which every call refuses. */
export const minorTyped = (fields: FormData, name: string, currency: string): number =>
  minorOf(textOf(fields, name), currencyDigits(currency)) ?? -1;

/** Parses a list of country codes with any separators. */
export const countriesTyped = (fields: FormData, name: string): string[] =>
  textOf(fields, name).toUpperCase().split(/[\s,;]+/u).filter((text) => text !== '');

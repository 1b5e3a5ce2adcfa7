import { keyOf } from '#platform/text/message-keys.ts';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { CANADIAN_PROVINCES, countriesIn, US_STATES } from '#product/site/rules/places.ts';
import type { PolicyView } from '../../contract/policies.ts';

/** What a policy asks for, whether it is stored or being typed. */
export type Asked = Pick<
  PolicyView,
  'rule' | 'minimum_age' | 'methods' | 'liveness' | 'proof_lasts' | 'anonymous' | 'vpn_class'
>;
/** A part of what a policy asks for, as words. */
export interface AskedLine {
  readonly key: 'rule' | 'age' | 'methods' | 'liveness' | 'lasts' | 'anonymous' | 'vpn';
  readonly label: string;
  readonly text: string;
}

/** Names of places in the language of the page. */
export function usePlaceName(): (region: string) => string {
  const { t, i18n } = useTranslation('compliance');
  const names = new Map([...US_STATES, ...CANADIAN_PROVINCES, ...countriesIn(i18n.language)]
    .map(({ code, name }) => [code, name]));
  return (region) => {
    if (region === '*') return t('regions.everywhere');
    if (region === 'demo') return t('regions.demo');
    return names.get(region) ?? region;
  };
}

/** The parts of what a policy asks for; those of a proof only where one is needed. */
export function useAskedLines(): (asked: Asked) => readonly AskedLine[] {
  const { t, i18n } = useTranslation('compliance');
  const listed = new Intl.ListFormat(i18n.language, { type: 'conjunction' });
  return ({ rule, minimum_age: age, methods, liveness, proof_lasts: lasts, anonymous, vpn_class: vpn }) => {
    const line = (key: AskedLine['key'], text: string): AskedLine => ({
      key,
      label: t(keyOf('compliance', 'regions.parts', key)),
      text,
    });
    const ofProof = rule !== 'verify' ? [] : [
      line(
        'methods',
        listed.format(methods.map((method) => t(keyOf('compliance', 'regions.methods', method)))),
      ),
      line('liveness', t(keyOf('compliance', 'regions.liveness', liveness))),
      line(
        'lasts',
        typeof lasts === 'number'
          ? t('regions.lasts.days', { count: lasts })
          : t(keyOf('compliance', 'regions.lasts', lasts)),
      ),
      line('anonymous', t(anonymous ? 'regions.yes' : 'regions.no')),
    ];
    return [
      line('rule', t(keyOf('compliance', 'regions.rules', rule))),
      ...(rule === 'blocked' ? [] : [line('age', String(age))]),
      ...ofProof,
      line('vpn', t(keyOf('compliance', 'regions.vpn', vpn))),
    ];
  };
}

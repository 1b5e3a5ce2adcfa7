import { linesIn } from '#platform/text/lines.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { Checkbox, keepDigits, TextArea, TextField } from '#platform/ui/controls/fields.tsx';
import { textOf, useForm } from '#platform/ui/forms/form.ts';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { formatCount } from '#platform/ui/text/amounts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { FANCLUB_LEVELS, type FanclubLevel } from '#product/accounts/rules/current-user.ts';
import { saveOwnClub } from '../../client.ts';
import type { ClubView } from '../../contract.ts';
import {
  isClubPrice,
  MAX_CLUB_DESCRIPTION_LENGTH,
  MAX_CLUB_PRICE_TOKENS,
  MAX_PERK_LENGTH,
  MAX_PERKS,
  MIN_CLUB_PRICE_TOKENS,
  pricesAscend,
} from '../../rules.ts';
import { DISCOUNT_PERCENT } from '../../rules/benefits.ts';
import { showClub } from '../live.ts';

const priceName = (level: FanclubLevel): string => `prices.${level}`;
const perksName = (level: FanclubLevel): string => `perks.${level}`;

const ofLevels = <T,>(of: (level: FanclubLevel) => T): Record<FanclubLevel, T> => ({
  supporter: of('supporter'),
  insider: of('insider'),
  legend: of('legend'),
});

const clubIn = (fields: FormData): ClubView => ({
  enabled: fields.get('enabled') === 'on',
  description: textOf(fields, 'description'),
  prices: ofLevels((level) => Number(textOf(fields, priceName(level)))),
  perks: ofLevels((level) => linesIn(textOf(fields, perksName(level)))),
});

/** Opens and closes the performer's club, and edits its description, prices and promises for each level. */
export function ClubForm({ club }: { club: ClubView }) {
  const { t, i18n } = useTranslation('fanclubs');
  const toast = useToast();
  const [min, max] = [MIN_CLUB_PRICE_TOKENS, MAX_CLUB_PRICE_TOKENS]
    .map((tokens) => formatCount(tokens, i18n.language)) as [string, string];
  const form = useForm(saveOwnClub, {
    shape: async () => (await import('../../contract.ts')).saveOwnClub,
    read: clubIn,
    applied: showClub,
    check: ({ prices, perks }) => {
      const wrong = FANCLUB_LEVELS.filter((level) => !isClubPrice(prices[level]));
      const uneven = wrong.length === 0 && !pricesAscend(prices);
      const long = FANCLUB_LEVELS.filter((level) =>
        perks[level].length > MAX_PERKS || perks[level].some((line) => [...line].length > MAX_PERK_LENGTH)
      );
      return Object.fromEntries([
        ...wrong.map((level) => [priceName(level), t('form.range', { min, max })] as const),
        ...(uneven ? [[priceName('legend'), t('form.uneven')] as const] : []),
        ...long.map((level) =>
          [
            perksName(level),
            t('form.perksTooLong', {
              lines: MAX_PERKS,
              letters: MAX_PERK_LENGTH,
            }),
          ] as const
        ),
      ]);
    },
    onDone: ({ club: { enabled } }) => toast(t(enabled ? 'form.saved' : 'form.savedClosed'), 'success'),
  });
  return (
    <form {...form.props} className="flex flex-col gap-6">
      <Checkbox {...form.field('enabled')} label={t('form.enabled')} defaultChecked={club.enabled} />
      <TextArea
        {...form.field('description')}
        label={t('form.description')}
        rows={4}
        hint={t('form.descriptionHint')}
        maxLength={MAX_CLUB_DESCRIPTION_LENGTH}
        defaultValue={club.description}
      />
      {FANCLUB_LEVELS.map((level) => (
        <fieldset key={level} className="flex flex-col gap-3 rounded-card border border-line p-4">
          <legend className="px-1 font-bold">{t(`level.${level}`)}</legend>
          <p className="text-sm text-muted">{t(`form.has.${level}`, { percent: DISCOUNT_PERCENT[level] })}</p>
          <TextField
            {...form.field(priceName(level))}
            label={t('form.price')}
            inputMode="numeric"
            autoComplete="off"
            maxLength={5}
            onInput={keepDigits}
            defaultValue={club.prices[level]}
          />
          <TextArea
            {...form.field(perksName(level))}
            label={t('form.perks')}
            rows={3}
            hint={t('form.perksHint')}
            defaultValue={club.perks[level].join('\n')}
          />
        </fieldset>
      ))}
      <FormError problem={form.problem} />
      <div>
        <Button type="submit" tone="primary" busy={form.busy}>{t('form.save')}</Button>
      </div>
    </form>
  );
}

import { useRead } from '#platform/ui/calls/calls.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { Checkbox, TextField } from '#platform/ui/controls/fields.tsx';
import { textOf, useForm } from '#platform/ui/forms/form.ts';
import { Loaded, Section } from '#platform/ui/surfaces/section.tsx';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { MAX_RATE, MIN_RATE } from '#product/performers/rules.ts';
import { getShowSettings, saveShowSettings } from '../../client.ts';
import type { SharecamSettingView } from '../../contract/settings.ts';
import { showOffer } from './live.ts';

const FLAGS = [
  'isAllowedInPrivate',
  'isAllowedInPublic',
] as const satisfies readonly (keyof SharecamSettingView)[];
const PRICE = 'pricePerMinuteInPublicInToken' satisfies keyof SharecamSettingView;

/** Which cameras of viewers a performer takes, and at what price. */
export function SharecamSection() {
  const { t } = useTranslation('shows');
  const read = useRead(getShowSettings, {});
  return (
    <Section anchor="sharecam" title={t('offer.sharecam.title')} lead={t('offer.sharecam.lead')}>
      <Loaded read={read} height="h-48">{({ sharecam }) => <SharecamForm offer={sharecam} />}</Loaded>
    </Section>
  );
}

function SharecamForm({ offer }: { offer: SharecamSettingView }) {
  const { t } = useTranslation('shows');
  const toast = useToast();
  const form = useForm(saveShowSettings, {
    shape: async () => (await import('../../contract/settings.ts')).saveShowSettings,
    read: (fields) => ({
      sharecam: {
        isAllowedInPrivate: fields.has('isAllowedInPrivate'),
        isAllowedInPublic: fields.has('isAllowedInPublic'),
        [PRICE]: Number(textOf(fields, PRICE)),
      },
    }),
    applied: showOffer,
    onDone: () => toast(t('offer.saved'), 'success'),
  });
  return (
    <form {...form.props} className="flex flex-col gap-4">
      <div className="grid gap-x-4 sm:grid-cols-2">
        {FLAGS.map((name) => (
          <Checkbox
            key={name}
            {...form.field(name)}
            defaultChecked={offer[name]}
            label={
              <>
                {t(`offer.sharecam.${name}`)}
                <span className="block text-xs text-muted">{t(`offer.sharecam.hint.${name}`)}</span>
              </>
            }
          />
        ))}
      </div>
      <TextField
        {...form.field(PRICE)}
        type="number"
        inputMode="numeric"
        required
        step={1}
        min={MIN_RATE}
        max={MAX_RATE}
        label={t(`offer.sharecam.${PRICE}`)}
        hint={t(`offer.sharecam.hint.${PRICE}`)}
        defaultValue={offer[PRICE]}
      />
      <FormError problem={form.problem} />
      <div>
        <Button type="submit" tone="primary" busy={form.busy}>{t('offer.save')}</Button>
      </div>
    </form>
  );
}

import { useRead } from '#platform/ui/calls/calls.ts';
import { Button, IconButton } from '#platform/ui/controls/button.tsx';
import { Select } from '#platform/ui/controls/fields.tsx';
import { useForm } from '#platform/ui/forms/form.ts';
import { Loaded } from '#platform/ui/surfaces/section.tsx';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { getBlockedRegions, saveBlockedRegions } from '#product/compliance/client.ts';
import { countriesIn, optionOf, subdivisionsOf } from '#product/site/rules/places.ts';
import { Plus, X } from 'lucide-react';
import { useState } from 'react';
import { showBlockedRegions } from '../live.ts';
import { usePlaceNames } from './place-names.ts';

/** The places where a performer is hidden. */
export function BlockedPlaces() {
  const read = useRead(getBlockedRegions, {});
  return <Loaded read={read} height="h-32">{({ regions }) => <Places saved={regions} />}</Loaded>;
}

function Places({ saved }: { saved: readonly string[] }) {
  const { t, i18n } = useTranslation('performers');
  const toast = useToast();
  const [blocked, setBlocked] = useState(saved);
  const [country, setCountry] = useState('');
  const [state, setState] = useState('');
  const form = useForm(saveBlockedRegions, {
    shape: async () => (await import('#product/compliance/contract.ts')).saveBlockedRegions,
    read: () => ({ regions: [...blocked] }),
    applied: showBlockedRegions,
    onDone: () => toast(t('saved'), 'success'),
  });
  const countries = countriesIn(i18n.language).map(optionOf);
  const nameOf = usePlaceNames();
  const parts = subdivisionsOf(country).map(optionOf);
  const region = state === '' ? country : state;
  const isChanged = [...blocked].sort().join() !== [...saved].sort().join();
  const add = () => {
    setBlocked([...new Set([...blocked, region])]);
    setCountry('');
    setState('');
  };
  return (
    <form {...form.props} className="flex flex-col gap-4">
      {blocked.length === 0
        ? <p className="text-sm text-muted">{t('blocked.empty')}</p>
        : (
          <ul className="flex flex-wrap gap-2">
            {blocked.map((one) => (
              <li
                key={one}
                className="inline-flex items-center rounded-full border border-line bg-raised pl-4"
              >
                {nameOf(one)}
                <IconButton
                  label={t('blocked.remove', { place: nameOf(one) })}
                  onClick={() => setBlocked(blocked.filter((other) => other !== one))}
                >
                  <X size={18} aria-hidden />
                </IconButton>
              </li>
            ))}
          </ul>
        )}
      <div className="flex flex-wrap items-end gap-3">
        <div className="grow basis-48">
          <Select
            {...form.field('regions')}
            label={t('blocked.country')}
            options={countries}
            value={country}
            placeholder={t('viewAs.choose')}
            onChange={({ target }) => {
              setCountry(target.value);
              setState('');
            }}
          />
        </div>
        {parts.length > 0
          ? (
            <div className="grow basis-40">
              <Select
                label={t('blocked.state')}
                options={parts}
                placeholder={t('blocked.whole')}
                value={state}
                onChange={({ target }) => setState(target.value)}
              />
            </div>
          )
          : null}
        <Button disabled={region === ''} icon={<Plus size={18} aria-hidden />} onClick={add}>
          {t('blocked.add')}
        </Button>
      </div>
      <FormError problem={form.problem} />
      <div className="flex flex-wrap items-center gap-3">
        <Button type="submit" busy={form.busy}>{t('blocked.save')}</Button>
        {isChanged ? <p className="text-sm text-muted">{t('blocked.unsaved')}</p> : null}
      </div>
    </form>
  );
}

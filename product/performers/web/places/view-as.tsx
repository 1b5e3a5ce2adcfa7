import type { OutputOf } from '#platform/contract/call.ts';
import { keyOf } from '#platform/text/message-keys.ts';
import { useRead } from '#platform/ui/calls/calls.ts';
import { Select } from '#platform/ui/controls/fields.tsx';
import { Loaded } from '#platform/ui/surfaces/section.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { countriesIn, optionOf, subdivisionsOf } from '#product/site/rules/places.ts';
import { Check, X } from 'lucide-react';
import { useState } from 'react';
import { viewAs } from '../../client.ts';
import { usePlaceNames } from './place-names.ts';

/** Whether viewers in a place see this performer, on which pages, and why not. */
export function ViewAs() {
  const { t, i18n } = useTranslation('performers');
  const [country, setCountry] = useState('');
  const [state, setState] = useState('');
  const region = state === '' ? country : state;
  const seen = useRead(viewAs, { region }, { enabled: region !== '' });
  const countries = countriesIn(i18n.language).map(optionOf);
  const parts = subdivisionsOf(country).map(optionOf);
  const nameOf = usePlaceNames();
  return (
    <div className="flex flex-col gap-4">
      <Select
        label={t('viewAs.country')}
        options={countries}
        placeholder={t('viewAs.choose')}
        value={country}
        onChange={({ target }) => {
          setCountry(target.value);
          setState('');
        }}
      />
      {parts.length > 0
        ? (
          <Select
            label={t('viewAs.state')}
            options={parts}
            placeholder={t('viewAs.anyState')}
            value={state}
            onChange={({ target }) => setState(target.value)}
          />
        )
        : null}
      {region === ''
        ? null
        : <Loaded read={seen} height="h-64">{(view) => <Seen view={view} place={nameOf(region)} />}</Loaded>}
    </div>
  );
}

function Seen({ view, place }: { view: OutputOf<typeof viewAs>; place: string }) {
  const { t } = useTranslation('performers');
  const isShown = view.surfaces.some((surface) => surface.is_shown);
  return (
    <div role="status" className="flex flex-col gap-3">
      <p className="font-bold">{t(isShown ? 'viewAs.shown' : 'viewAs.hidden', { place })}</p>
      {view.reasons.length > 0
        ? (
          <ul className="list-disc pl-5 text-sm">
            {view.reasons.map((reason) => (
              <li key={reason}>{t(keyOf('performers', 'viewAs.reasons', reason))}</li>
            ))}
          </ul>
        )
        : null}
      {isShown || view.gate === 'blocked'
        ? (
          <p className="text-sm text-muted">
            {t(keyOf('performers', 'viewAs.gate', view.gate), { age: view.minimum_age })}
          </p>
        )
        : null}
      <h3 className="text-sm font-bold">{t('viewAs.where')}</h3>
      <ul className="text-sm">
        {view.surfaces.map(({ surface, is_shown: isHere }) => (
          <li key={surface} className="flex items-center justify-between gap-3 border-b border-line py-2">
            <span>{t(keyOf('performers', 'viewAs.surfaces', surface))}</span>
            <span
              className={`inline-flex items-center gap-1 ${
                isHere
                  ? 'text-success-text'
                  : 'text-danger-text'
              }`}
            >
              {isHere ? <Check size={16} aria-hidden /> : <X size={16} aria-hidden />}
              {t(isHere ? 'viewAs.yes' : 'viewAs.no')}
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}

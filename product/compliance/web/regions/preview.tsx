import type { OutputOf } from '#platform/contract/call.ts';
import { keyOf } from '#platform/text/message-keys.ts';
import { useRead } from '#platform/ui/calls/calls.ts';
import { Checkbox, TextField } from '#platform/ui/controls/fields.tsx';
import { Card } from '#platform/ui/surfaces/card.tsx';
import { Loaded } from '#platform/ui/surfaces/section.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useState } from 'react';
import { previewPolicy } from '../../client.ts';
import { PlaceFields } from './place-fields.tsx';
import { AskedList, Day, Origin } from './policy-parts.tsx';
import { usePlaceName } from './words.ts';

/** What a visitor from a place meets on a day, and which row decides. */
export function Preview() {
  const { t } = useTranslation('compliance');
  const [region, setRegion] = useState('');
  const [day, setDay] = useState('');
  const [vpn, setVpn] = useState(false);
  const nameOf = usePlaceName();
  const input = { region, ...(day === '' ? {} : { at: day }), ...(vpn ? { vpn } : {}) };
  const read = useRead(previewPolicy, input, { enabled: region !== '' });
  return (
    <div className="mt-4 grid gap-6 lg:grid-cols-[20rem_1fr]">
      <div className="flex flex-col gap-4">
        <PlaceFields
          region={region}
          others={[{ code: 'unknown', name: t('regions.unknown') }]}
          onChange={setRegion}
        />
        <TextField
          name="day"
          type="date"
          label={t('regions.preview.day')}
          hint={t('regions.preview.dayHint')}
          value={day}
          onChange={({ target }) => setDay(target.value)}
        />
        <Checkbox
          label={t('regions.preview.vpn')}
          checked={vpn}
          onChange={({ target }) => setVpn(target.checked)}
        />
      </div>
      {region === ''
        ? <p className="text-muted">{t('regions.preview.choose')}</p>
        : (
          <Loaded read={read} height="h-64">
            {(seen) => (
              <Seen seen={seen} place={region === 'unknown' ? t('regions.unknown') : nameOf(region)} />
            )}
          </Loaded>
        )}
    </div>
  );
}

function Seen({ seen, place }: { seen: OutputOf<typeof previewPolicy>; place: string }) {
  const { t } = useTranslation('compliance');
  const nameOf = usePlaceName();
  const texts = Object.entries(seen.texts);
  return (
    <Card className="flex flex-col gap-4 p-4">
      <div role="status">
        <p className="font-bold">
          {t(keyOf('compliance', 'regions.preview.gate', seen.gate), { place, age: seen.minimum_age })}
        </p>
        <p className="mt-1 text-sm text-muted">
          {t(keyOf('compliance', 'regions.why', seen.why), { place: nameOf(seen.policy.region) })}
        </p>
      </div>
      <AskedList asked={seen.policy} />
      <p className="text-sm text-muted">
        {t('regions.since')} <Day day={seen.policy.from} />
      </p>
      {texts.length === 0 ? null : (
        <div className="flex flex-col gap-2 text-sm">
          <p className="text-muted">{t('regions.preview.texts')}</p>
          {texts.map(([language, text]) => (
            <blockquote
              key={language}
              lang={language}
              className="border-l-2 border-line pl-3 wrap-anywhere whitespace-pre-line"
            >
              <bdi>{text}</bdi>
            </blockquote>
          ))}
        </div>
      )}
      <Origin policy={seen.policy} />
    </Card>
  );
}

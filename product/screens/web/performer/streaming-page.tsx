import { useRead } from '#platform/ui/calls/calls.ts';
import { read, routeData } from '#platform/ui/calls/route.ts';
import { Button, ButtonLink } from '#platform/ui/controls/button.tsx';
import { Checkbox, TextField } from '#platform/ui/controls/fields.tsx';
import { textOf, useForm } from '#platform/ui/forms/form.ts';
import { Card } from '#platform/ui/surfaces/card.tsx';
import { Heading, Title } from '#platform/ui/surfaces/page.tsx';
import { ReadError } from '#platform/ui/surfaces/section.tsx';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { getStreamerSettings } from '#product/broadcast/client.ts';
import { useStreamerSettings } from '#product/broadcast/web/live.ts';
import { TechChoice } from '#product/broadcast/web/player/tech-choice.tsx';
import { listRecordings, setPublicRecording } from '#product/recordings/client.ts';
import { useReloadRecordings } from '#product/recordings/web/live.ts';
import type { ReactNode } from 'react';

const loadSettings = routeData({
  texts: ['broadcast', 'recordings'],
  member: true,
  reads: () => [read(getStreamerSettings, {}), read(listRecordings, {})],
});
export { loadSettings as clientLoader, loadSettings as loader };

/** Streamer settings: technique, standby, recording by viewers. Each change is saved at once. */
export default function StreamingPage() {
  const { t } = useTranslation('screens');
  return (
    <div className="mx-auto flex w-full max-w-2xl flex-col gap-6 px-4 py-8">
      <Title>{t('streaming.title')}</Title>
      <div className="flex flex-wrap items-end justify-between gap-4">
        <Heading>{t('streaming.title')}</Heading>
        <ButtonLink to="/go-live">{t('streaming.toGoLive')}</ButtonLink>
      </div>
      <TechSection />
      <StandbySection />
      <PublicRecordingSection />
    </div>
  );
}

function Section({ title, lead, children }: { title: string; lead: string; children: ReactNode }) {
  return (
    <Card className="flex flex-col gap-4 p-4 sm:p-6">
      <div>
        <h2 className="text-lg font-bold">{title}</h2>
        <p className="pt-1 text-sm text-muted">{lead}</p>
      </div>
      {children}
    </Card>
  );
}

function useSaving() {
  const { t } = useTranslation('screens');
  const toast = useToast();
  const { settings, save, problem } = useStreamerSettings();
  const keep = async (change: Parameters<typeof save>[0]): Promise<void> => {
    if (await save(change)) toast(t('streaming.saved'), 'success');
  };
  return { settings, keep, problem };
}

function TechSection() {
  const { t } = useTranslation('screens');
  const { settings, keep, problem } = useSaving();
  if (!settings) return null;
  const { cam } = settings;
  return (
    <Section title={t('streaming.tech')} lead={t('streaming.techText')}>
      <div>
        <TechChoice
          value={settings.streaming_tech}
          onChange={(tech) => void keep({ streaming_tech: tech })}
        />
      </div>
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1 text-sm">
        <dt className="text-muted">{t('streaming.camera')}</dt>
        <dd className="break-words">{cam.videoName ?? t('streaming.noneYet')}</dd>
        <dt className="text-muted">{t('streaming.microphone')}</dt>
        <dd className="break-words">{cam.audioName ?? t('streaming.noneYet')}</dd>
      </dl>
      <FormError problem={problem} />
    </Section>
  );
}

function StandbySection() {
  const { t } = useTranslation('screens');
  const { settings, keep, problem } = useSaving();
  if (!settings) return null;
  if (!settings.standby_allowed) {
    return <Section title={t('streaming.standby')} lead={t('streaming.standbyClosed')}>{null}</Section>;
  }
  return (
    <Section title={t('streaming.standby')} lead={t('streaming.standbyText')}>
      <div>
        <Checkbox
          label={t('streaming.standbyEnabled')}
          checked={settings.standby_enabled}
          onChange={({ target }) => void keep({ standby_enabled: target.checked })}
        />
        <Checkbox
          label={t('streaming.standbyNotices')}
          checked={settings.standby_notifications_enabled}
          disabled={!settings.standby_enabled}
          onChange={({ target }) => void keep({ standby_notifications_enabled: target.checked })}
        />
      </div>
      <FormError problem={problem} />
    </Section>
  );
}

function PublicRecordingSection() {
  const { t } = useTranslation('screens');
  const toast = useToast();
  const read = useRead(listRecordings, {});
  const reload = useReloadRecordings();
  const form = useForm(setPublicRecording, {
    shape: async () => (await import('#product/recordings/contract.ts')).setPublicRecording,
    read: (fields) => ({
      isEnabled: fields.get('isEnabled') === 'on',
      pricePerMinuteInToken: Number(textOf(fields, 'pricePerMinuteInToken')),
    }),
    onDone: async () => {
      toast(t('streaming.saved'), 'success');
      await reload();
    },
  });
  if (!read.data) return <ReadError read={read} />;
  const { isEnabled, pricePerMinuteInToken: price } = read.data.publicRecording;
  return (
    <Section title={t('streaming.public')} lead={t('streaming.publicText')}>
      <form {...form.props} className="flex flex-col gap-4">
        <Checkbox
          {...form.field('isEnabled')}
          label={t('streaming.publicEnabled')}
          defaultChecked={isEnabled}
          key={String(isEnabled)}
        />
        <TextField
          {...form.field('pricePerMinuteInToken')}
          type="number"
          inputMode="numeric"
          min={0}
          max={10_000}
          step={1}
          required
          label={t('streaming.publicPrice')}
          defaultValue={price}
        />
        <FormError problem={form.problem} />
        <div>
          <Button type="submit" busy={form.busy}>{t('streaming.save')}</Button>
        </div>
      </form>
    </Section>
  );
}

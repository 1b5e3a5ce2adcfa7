import { keyOf } from '#platform/text/message-keys.ts';
import { problemOf, queryKeyOf, useCache, useCallAddress } from '#platform/ui/calls/calls.ts';
import { useReadPages } from '#platform/ui/calls/pages.ts';
import { readPages, routeData } from '#platform/ui/calls/route.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { Checkbox, Select } from '#platform/ui/controls/fields.tsx';
import { MorePages } from '#platform/ui/controls/lists/more-pages.tsx';
import { textOf, useForm } from '#platform/ui/forms/form.ts';
import { Card, Pill } from '#platform/ui/surfaces/card.tsx';
import { Dialog } from '#platform/ui/surfaces/dialog.tsx';
import { Wide } from '#platform/ui/surfaces/page.tsx';
import { EmptyState, ErrorState, FormError, Skeleton } from '#platform/ui/surfaces/states.tsx';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { RelativeTime } from '#platform/ui/text/amounts.tsx';
import { clockText } from '#platform/ui/text/measures.ts';
import { Typed } from '#platform/ui/text/typed.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { Flag } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'react-router';
import { closeReport, getReportedPicture, getReportedRecording, listReports } from '../client.ts';
import type { ReportView } from '../contract.ts';
import { REPORT_OUTCOMES, REPORT_REASONS, type ReportReason } from '../rules.ts';
import { NoteField } from './note-field.tsx';

const wanted = {
  texts: ['moderation'],
  always: true,
  member: true,
  reads: () => [readPages(listReports, {})],
};
export const loader = routeData(wanted);
export const clientLoader = routeData(wanted);
export const handle = { always: true };

/** For admins: what people reported, and how each report ends. */
export default function ReportsPage() {
  const { t } = useTranslation('moderation');
  const [closed, setClosed] = useState(false);
  const [reason, setReason] = useState<ReportReason | ''>('');
  const read = useReadPages(listReports, {
    ...(closed ? { closed } : {}),
    ...(reason === '' ? {} : { reason }),
  });
  const { data, error, refetch } = read;
  const reports = data?.pages.flatMap((page) => page.reports);
  const open = new Map(data?.pages[0]?.open.map((item) => [item.reason, item.count]));
  return (
    <Wide title={t('queue.title')} lead={t('queue.lead')}>
      <div className="flex flex-wrap items-end gap-x-6 gap-y-2">
        <Select
          label={t('queue.reason')}
          value={reason}
          placeholder={t('queue.all')}
          onChange={({ target }) => setReason(target.value as ReportReason | '')}
          options={REPORT_REASONS.map((item) => ({
            value: item,
            text: `${t(keyOf('moderation', 'reasons', item))} (${open.get(item) ?? 0})`,
          }))}
        />
        <Checkbox
          label={t('queue.closed')}
          checked={closed}
          onChange={({ target }) => setClosed(target.checked)}
        />
      </div>
      {error && !reports
        ? <ErrorState problem={problemOf(error)} onRetry={() => void refetch()} />
        : !reports
        ? <Skeleton className="mt-4 h-64" />
        : reports.length === 0
        ? (
          <EmptyState
            icon={<Flag size={28} aria-hidden />}
            text={t(closed ? 'queue.emptyClosed' : 'queue.empty')}
          />
        )
        : (
          <ul aria-label={t('queue.title')} className="mt-4 flex flex-col gap-3">
            {reports.map((report) => (
              <li key={report.id}>
                <OneReport report={report} />
              </li>
            ))}
          </ul>
        )}
      <MorePages read={read} className="py-4" />
    </Wide>
  );
}

function OneReport({ report }: { report: ReportView }) {
  const { t } = useTranslation('moderation');
  const [isClosing, setClosing] = useState(false);
  const { id, kind, reason, details, snapshot, username, reporter, at } = report;
  // All but messages and persons belongs to the performer of a room.
  const room = report.room ?? (kind === 'message' || kind === 'person' ? null : username);
  return (
    <Card className="flex flex-col gap-3 p-4">
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm text-muted">
        <span className="font-bold text-text">{t(keyOf('moderation', 'reasons', reason))}</span>
        {report.is_urgent ? <Pill tone="private">{t('queue.urgent')}</Pill> : null}
        <span>{t(keyOf('moderation', 'kinds', kind))}</span>
        <RelativeTime at={at} />
      </p>
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 text-sm">
        <dt className="text-muted">{t('queue.about')}</dt>
        <dd>{username === null ? t('queue.gone') : <Account username={username} />}</dd>
        {room === null ? null : (
          <>
            <dt className="text-muted">{t('queue.room')}</dt>
            <dd>
              <Room username={room} />
            </dd>
          </>
        )}
        <dt className="text-muted">{t('queue.reporter')}</dt>
        <dd>{reporter === null ? t('queue.nobody') : `@${reporter}`}</dd>
      </dl>
      {snapshot === ''
        ? null
        : (
          <blockquote className="max-w-prose border-l-2 border-line pl-3 wrap-anywhere whitespace-pre-wrap">
            <Typed>{snapshot}</Typed>
          </blockquote>
        )}
      {report.has_picture ? <Picture id={id} /> : null}
      {report.recordings.map((part) => <Recording key={part.id} id={id} part={part} />)}
      {details === '' ? null : (
        <p className="max-w-prose text-sm wrap-anywhere whitespace-pre-wrap">
          <span className="text-muted">{t('queue.details')}</span> <Typed>{details}</Typed>
        </p>
      )}
      <Closed report={report} />
      {report.closed_at === null
        ? (
          <div>
            <Button onClick={() => setClosing(true)}>{t('queue.close', { id })}</Button>
          </div>
        )
        : null}
      {isClosing ? <ClosingDialog id={id} onClose={() => setClosing(false)} /> : null}
    </Card>
  );
}

/** Shown only when the admin asks for it: reported pictures may be hard to look at. */
function Picture({ id }: { id: number }) {
  const { t } = useTranslation('moderation');
  const [isShown, setShown] = useState(false);
  const [isMissing, setMissing] = useState(false);
  const address = useCallAddress();
  if (isMissing) return <p className="text-sm text-muted">{t('queue.noPicture')}</p>;
  if (!isShown) {
    return (
      <div>
        <Button onClick={() => setShown(true)}>{t('queue.showPicture')}</Button>
      </div>
    );
  }
  return (
    <img
      src={address(getReportedPicture, { id })}
      alt={t('queue.picture', { id })}
      onError={() => setMissing(true)}
      className="max-h-96 max-w-full self-start rounded-card"
    />
  );
}

/** A part of a show's recording; its performer may have deleted it meanwhile. */
function Recording({ id, part }: { id: number; part: ReportView['recordings'][number] }) {
  const { t } = useTranslation('moderation');
  const [isShown, setShown] = useState(false);
  const address = useCallAddress();
  const length = clockText(part.seconds);
  return (
    <div className="flex flex-col items-start gap-1">
      {isShown
        ? (
          <video
            src={address(getReportedRecording, { id, part: part.id })}
            controls
            preload="metadata"
            aria-label={t('queue.recording', { id, length })}
            className="max-h-96 max-w-full rounded-card"
          />
        )
        : <Button onClick={() => setShown(true)}>{t('queue.showRecording', { length })}</Button>}
      {part.is_deleted ? <p className="text-sm text-muted">{t('queue.recordingDeleted')}</p> : null}
    </div>
  );
}

/** Whoever reads the queue may look up accounts; members have no room to link to. */
const Account = ({ username }: { username: string }) => (
  <Link to={`/admin/people?username=${encodeURIComponent(username)}`} className="text-link underline">
    @{username}
  </Link>
);
const Room = ({ username }: { username: string }) => (
  <Link to={`/${username}`} className="text-link underline">@{username}</Link>
);

function Closed({ report: { closed_at: at, closed_by: by, outcome, note } }: { report: ReportView }) {
  const { t } = useTranslation('moderation');
  if (at === null || outcome === null) return null;
  return (
    <div className="flex flex-col gap-1 border-t border-line pt-3 text-sm">
      <p>
        <span className="font-bold">{t(keyOf('moderation', 'outcomes', outcome))}</span>{' '}
        <span className="text-muted">
          {by === null ? null : `@${by} · `}
          <RelativeTime at={at} />
        </span>
      </p>
      {note === '' ? null : (
        <p className="max-w-prose wrap-anywhere whitespace-pre-wrap">
          <Typed>{note}</Typed>
        </p>
      )}
    </div>
  );
}

function ClosingDialog({ id, onClose }: { id: number; onClose: () => void }) {
  const { t } = useTranslation('moderation');
  const cache = useCache();
  const toast = useToast();
  const form = useForm(closeReport, {
    shape: async () => (await import('../contract.ts')).closeReport,
    read: (fields) => ({
      id,
      outcome: textOf(fields, 'outcome') as (typeof REPORT_OUTCOMES)[number],
      note: textOf(fields, 'note').trim(),
    }),
    onDone: () => {
      toast(t('queue.done'), 'success');
      void cache.invalidateQueries({ queryKey: queryKeyOf(listReports) });
      onClose();
    },
  });
  return (
    <Dialog title={t('queue.close', { id })} onClose={onClose}>
      <form {...form.props} className="flex flex-col gap-4">
        <Select
          {...form.field('outcome')}
          label={t('queue.outcome')}
          required
          placeholder={t('report.choose')}
          defaultValue=""
          options={REPORT_OUTCOMES.map((item) => ({
            value: item,
            text: t(keyOf('moderation', 'outcomes', item)),
          }))}
        />
        <NoteField field={form.field('note')} />
        <FormError problem={form.problem} />
        <div className="flex flex-wrap justify-end gap-3">
          <Button onClick={onClose}>{t('report.cancel')}</Button>
          <Button type="submit" tone="primary" busy={form.busy}>{t('queue.doClose')}</Button>
        </div>
      </form>
    </Dialog>
  );
}

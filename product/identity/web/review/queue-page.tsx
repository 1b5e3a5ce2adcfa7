import { problemOf, useAction } from '#platform/ui/calls/calls.ts';
import { useReadPages } from '#platform/ui/calls/pages.ts';
import { readPages, routeData } from '#platform/ui/calls/route.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { Select, TextField } from '#platform/ui/controls/fields.tsx';
import { MorePages } from '#platform/ui/controls/lists/more-pages.tsx';
import { Table, type Column } from '#platform/ui/controls/lists/table.tsx';
import { textOf, useFields, useForm } from '#platform/ui/forms/form.ts';
import { Pill } from '#platform/ui/surfaces/card.tsx';
import { Dialog } from '#platform/ui/surfaces/dialog.tsx';
import { Wide } from '#platform/ui/surfaces/page.tsx';
import { Section } from '#platform/ui/surfaces/section.tsx';
import { EmptyState, ErrorState, FormError, Skeleton } from '#platform/ui/surfaces/states.tsx';
import { RelativeTime } from '#platform/ui/text/amounts.tsx';
import { Typed } from '#platform/ui/text/typed.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useState } from 'react';
import { inspect, listApplications, openApplication } from '../../client.ts';
import type { OpenedView, QueueLineView } from '../../contract/review.ts';
import { LOOK_REASONS, MAX_NAME_LENGTH, MAX_NOTE_LENGTH, type LookReason } from '../../rules.ts';
import { OpenedApplication } from './opened-application.tsx';
import { RulesForm } from './rules-form.tsx';

const wanted = {
  texts: ['identity', 'accounts'],
  always: true,
  member: true,
  reads: () => [readPages(listApplications, {})],
};
export const loader = routeData(wanted);
export const clientLoader = routeData(wanted);
export const handle = { always: true };

/** Whose application is opened, before a reason is named. */
interface Asked {
  readonly id: number;
  readonly name: string;
}

/** The admin page of applications: who waits, the one that is open, a search, and the operator's rules. */
export default function QueuePage() {
  const { t } = useTranslation('identity');
  const [asked, setAsked] = useState<Asked | null>(null);
  const [opened, setOpened] = useState<OpenedView | null>(null);
  if (opened) {
    return (
      <Wide title={t('review.openedTitle', { name: opened.username })}>
        <OpenedApplication application={opened} onClose={() => setOpened(null)} />
      </Wide>
    );
  }
  return (
    <Wide title={t('queue.title')} lead={t('queue.lead')}>
      <div className="flex flex-col gap-6">
        <Queue onOpen={setAsked} />
        <Section title={t('queue.find')} lead={t('queue.findLead')} anchor="find">
          <Finder onOpen={setAsked} />
        </Section>
        <Section title={t('rules.title')} lead={t('rules.lead')} anchor="rules">
          <RulesForm />
        </Section>
      </div>
      {asked
        ? (
          <OpenDialog
            asked={asked}
            onClose={() => setAsked(null)}
            onOpened={(application) => {
              setAsked(null);
              setOpened(application);
            }}
          />
        )
        : null}
    </Wide>
  );
}

function Queue({ onOpen }: { readonly onOpen: (asked: Asked) => void }) {
  const { t } = useTranslation('identity');
  const read = useReadPages(listApplications, {}, { cursor: 'after', next: ({ next }) => next });
  const { data, error, refetch } = read;
  if (error && !data) return <ErrorState problem={problemOf(error)} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton className="h-64" />;
  const lines = data.pages.flatMap((page) => page.lines);
  if (lines.length === 0) return <EmptyState text={t('queue.empty')} />;
  const columns: readonly Column<QueueLineView>[] = [
    {
      key: 'name',
      text: t('queue.name'),
      cell: (line) => (
        <>
          <span className="font-medium">
            <Typed>{line.display_name}</Typed>
          </span>{' '}
          <span className="text-muted">@{line.username}</span>
        </>
      ),
    },
    { key: 'waiting', text: t('queue.waiting'), cell: (line) => <RelativeTime at={line.handed_in_at} /> },
    {
      key: 'state',
      text: t('queue.state'),
      cell: (line) => (
        <Pill tone={line.state === 'second' ? 'warning' : 'quiet'}>
          {t(line.state === 'second' ? 'queue.second' : 'queue.first')}
        </Pill>
      ),
    },
    {
      key: 'act',
      text: t('queue.review'),
      cell: (line) => (line.is_own || line.is_decided_by_me
        ? <span className="text-muted">{t(line.is_own ? 'queue.own' : 'queue.mine')}</span>
        : (
          <Button onClick={() => onOpen({ id: line.id, name: line.username })}>
            {t('queue.open', { name: line.username })}
          </Button>
        )),
    },
  ];
  return (
    <div>
      <Table caption={t('queue.title')} columns={columns} rows={lines} keyOf={(line) => String(line.id)} />
      <MorePages read={read} />
    </div>
  );
}

/** Everybody who reads the vault says why first. */
function OpenDialog({ asked, onClose, onOpened }: {
  readonly asked: Asked;
  readonly onClose: () => void;
  readonly onOpened: (application: OpenedView) => void;
}) {
  const { t } = useTranslation('identity');
  const form = useForm(openApplication, {
    shape: async () => (await import('../../contract/review.ts')).openApplication,
    read: (fields) => ({
      id: asked.id,
      reason: textOf(fields, 'reason') as LookReason,
      note: textOf(fields, 'note').trim(),
    }),
    onDone: onOpened,
  });
  return (
    <Dialog title={t('queue.openTitle', { name: asked.name })} onClose={onClose}>
      <form {...form.props} className="flex flex-col gap-4">
        <p className="text-sm text-muted">{t('queue.openText')}</p>
        <ReasonField {...form.field('reason')} />
        <TextField
          {...form.field('note')}
          label={t('review.note')}
          maxLength={MAX_NOTE_LENGTH}
          autoComplete="off"
        />
        <FormError problem={form.problem} />
        <div className="flex justify-end gap-3">
          <Button onClick={onClose}>{t('review.cancel')}</Button>
          <Button type="submit" tone="primary" busy={form.busy}>{t('queue.openNow')}</Button>
        </div>
      </form>
    </Dialog>
  );
}

type Field = ReturnType<ReturnType<typeof useForm>['field']>;
function ReasonField(field: Field) {
  const { t } = useTranslation('identity');
  return (
    <Select
      {...field}
      label={t('queue.why')}
      required
      placeholder={t('fields.choose')}
      defaultValue=""
      options={LOOK_REASONS.map((value) => ({ value, text: t(`looks.${value}`) }))}
    />
  );
}

/** Finds a performer by any of their names, for an inspection. */
function Finder({ onOpen }: { readonly onOpen: (asked: Asked) => void }) {
  const { t } = useTranslation('identity');
  const { run, busy, problem } = useAction(inspect);
  const [matches, setMatches] = useState<Awaited<ReturnType<typeof run>>>(null);
  const form = useFields({
    read: (fields) => ({
      name: textOf(fields, 'name').trim(),
      reason: textOf(fields, 'reason') as LookReason,
    }),
    onSubmit: async (input) => setMatches(await run(input)),
  });
  return (
    <form {...form.props} className="flex flex-col gap-4">
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          {...form.field('name')}
          label={t('queue.anyName')}
          required
          minLength={2}
          maxLength={MAX_NAME_LENGTH}
          autoComplete="off"
        />
        <ReasonField {...form.field('reason')} />
      </div>
      <FormError problem={problem} />
      <div>
        <Button type="submit" busy={busy}>{t('queue.findNow')}</Button>
      </div>
      {matches === null ? null : (
        <ul className="flex flex-col gap-2" aria-label={t('queue.find')}>
          {matches.matches.length === 0 ? <li className="text-muted">{t('queue.nobody')}</li> : null}
          {matches.matches.map(({ id, username, display_name: name }) => (
            <li key={username} className="flex flex-wrap items-center gap-3">
              <span>
                <Typed>{name}</Typed> <span className="text-muted">@{username}</span>
              </span>
              {id === null
                ? <span className="text-muted">{t('queue.noApplication')}</span>
                : (
                  <Button onClick={() => onOpen({ id, name: username })}>
                    {t('queue.open', { name: username })}
                  </Button>
                )}
            </li>
          ))}
        </ul>
      )}
    </form>
  );
}

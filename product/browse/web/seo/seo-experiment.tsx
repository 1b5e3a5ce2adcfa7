import type { OutputOf } from '#platform/contract/call.ts';
import { useCache } from '#platform/ui/calls/calls.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { TextArea } from '#platform/ui/controls/fields.tsx';
import { Table, type Column } from '#platform/ui/controls/lists/table.tsx';
import type { FormErrors } from '#platform/ui/forms/check.ts';
import { textOf, useForm } from '#platform/ui/forms/form.ts';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { formatCount } from '#platform/ui/text/amounts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { ReasonField, reasonOf } from '#product/billing/web/admin/reason.tsx';
import { changeSeoExperiment, getSeoExperiment } from '../../client.ts';
import { MAX_SEO_PERFORMERS, namesTyped, SEO_DAYS, WORDINGS } from '../../rules/reports/seo-words.ts';

type Experiment = OutputOf<typeof getSeoExperiment>;

/** Performers in the experiment with rooms' words, and its results: for admins. */
export function SeoExperiment({ experiment }: { readonly experiment: Experiment }) {
  // Counts that change meanwhile must not discard what an admin is typing.
  const list = experiment.performers.map(({ username }) => username).join('\n');
  return (
    <div className="grid gap-6 lg:grid-cols-2">
      <ListForm key={list} list={list} />
      <Visits experiment={experiment} />
    </div>
  );
}

function ListForm({ list }: { readonly list: string }) {
  const { t } = useTranslation('browse');
  const { t: ofBilling } = useTranslation('billing');
  const cache = useCache();
  const toast = useToast();
  const form = useForm(changeSeoExperiment, {
    shape: async () => (await import('../../contract/trackers.ts')).changeSeoExperiment,
    read: (fields) => ({ usernames: namesTyped(textOf(fields, 'usernames')), reason: reasonOf(fields) }),
    check: ({ usernames: { length: count } }): FormErrors => (count <= MAX_SEO_PERFORMERS ? {} : {
      usernames: t('seoExperiment.tooMany', {
        count,
        max: MAX_SEO_PERFORMERS,
        more: count - MAX_SEO_PERFORMERS,
      }),
    }),
    fieldOf: { seo_names_unknown: 'usernames' },
    onDone: async () => {
      await cache.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] === getSeoExperiment.name });
      toast(ofBilling('web.operator.saved'), 'success');
    },
  });
  return (
    <form {...form.props} className="flex flex-col gap-4">
      <TextArea
        {...form.field('usernames')}
        label={t('seoExperiment.usernames')}
        rows={8}
        hint={t('seoExperiment.usernamesHint', { max: MAX_SEO_PERFORMERS })}
        defaultValue={list}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
      />
      <ReasonField field={form.field('reason')} />
      <FormError problem={form.problem} />
      <div>
        <Button type="submit" busy={form.busy}>{t('seoExperiment.save')}</Button>
      </div>
    </form>
  );
}

type Wording = (typeof WORDINGS)[number];

/** The results of one wording. */
interface Row {
  readonly key: string;
  readonly wording: Wording;
  readonly performers: number;
  readonly people: number;
  readonly crawlers: number;
}

/** Totals by wording, and each day. */
function Visits({ experiment: { performers, visits } }: { readonly experiment: Experiment }) {
  const { t, i18n } = useTranslation('browse');
  const number = (value: number) => formatCount(value, i18n.language);
  const totals: Row[] = WORDINGS.map((wording) => {
    const own = visits.filter((visit) => visit.wording === wording);
    return {
      key: wording,
      wording,
      performers: performers.filter((performer) => performer.wording === wording).length,
      people: own.reduce((sum, { people }) => sum + people, 0),
      crawlers: own.reduce((sum, { crawlers }) => sum + crawlers, 0),
    };
  });
  const counts = [
    {
      key: 'people',
      text: t('seoExperiment.people'),
      numeric: true,
      cell: ({ people }: Experiment['visits'][number] | Row) => number(people),
    },
    {
      key: 'crawlers',
      text: t('seoExperiment.crawlers'),
      numeric: true,
      cell: ({ crawlers }: Experiment['visits'][number] | Row) => number(crawlers),
    },
  ];
  const ofTotals: readonly Column<Row>[] = [
    {
      key: 'wording',
      text: t('seoExperiment.wording'),
      cell: ({ wording }) => (
        <>
          <b>{wording.toUpperCase()}</b> {t(`seoWords.${wording}.title`, { name: t('seoExperiment.name') })}
        </>
      ),
    },
    {
      key: 'performers',
      text: t('seoExperiment.performers'),
      numeric: true,
      cell: (row) => number(row.performers),
    },
    ...counts,
  ];
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <h3 className="font-bold">{t('seoExperiment.visits')}</h3>
      <Table caption={t('seoExperiment.visits')} columns={ofTotals} rows={totals} keyOf={({ key }) => key} />
      {visits.length === 0
        ? <p className="text-sm">{t('seoExperiment.none')}</p>
        : <ByDay visits={visits} counts={counts} />}
      <p className="text-sm text-muted">{t('seoExperiment.visitsHint', { days: SEO_DAYS })}</p>
    </div>
  );
}

type Visit = Experiment['visits'][number];

function ByDay({ visits, counts }: {
  readonly visits: readonly Visit[];
  readonly counts: readonly Column<Visit>[];
}) {
  const { t, i18n } = useTranslation('browse');
  const format = new Intl.DateTimeFormat(i18n.language, { dateStyle: 'medium', timeZone: 'UTC' });
  const columns: readonly Column<Visit>[] = [
    { key: 'day', text: t('seoExperiment.day'), cell: ({ day }) => format.format(new Date(day)) },
    { key: 'wording', text: t('seoExperiment.wording'), cell: ({ wording }) => wording.toUpperCase() },
    ...counts,
  ];
  return (
    <details>
      <summary className="min-h-11 cursor-pointer py-2 text-link">{t('seoExperiment.byDay')}</summary>
      <Table
        caption={t('seoExperiment.byDay')}
        columns={columns}
        rows={visits}
        keyOf={({ day, wording }) => `${day} ${wording}`}
      />
    </details>
  );
}

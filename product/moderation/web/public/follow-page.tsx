import type { OutputOf } from '#platform/contract/call.ts';
import { queryKeyOf, useCache, useRead } from '#platform/ui/calls/calls.ts';
import { read, routeData } from '#platform/ui/calls/route.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { Checkbox, Select, TextArea } from '#platform/ui/controls/fields.tsx';
import { textOf, useForm } from '#platform/ui/forms/form.ts';
import { Narrow } from '#platform/ui/surfaces/page.tsx';
import { Loaded, Section } from '#platform/ui/surfaces/section.tsx';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { Moment } from '#platform/ui/text/moment.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useParams, useSearchParams } from 'react-router';
import { appealDecision, followRequest } from '../../client.ts';
import type { AppealGround } from '../../rules/clocks.ts';
import { MAX_STATEMENT_LENGTH, MIN_STATEMENT_LENGTH } from '../../rules/requests.ts';
import { NameField, SignatureField } from './own-fields.tsx';

const wanted = {
  texts: ['moderation'],
  always: true,
  reads: (
    { params, request }: { params: Record<string, string | undefined>; request: Request },
  ) => {
    const key = new URL(request.url).searchParams.get('key') ?? '';
    return key === '' ? [] : [read(followRequest, { reference: params['reference'] ?? '', key })];
  },
};
export const loader = routeData(wanted);
export const clientLoader = routeData(wanted);
export const handle = { always: true };

type Followed = OutputOf<typeof followRequest>;
interface FollowLink {
  readonly reference: string;
  readonly key: string;
}

/** /report/{reference}?key=…: where a request stands, or why a decision was made; and how to appeal. */
export default function FollowPage() {
  const { t } = useTranslation('moderation');
  const { reference = '' } = useParams();
  const [search] = useSearchParams();
  const link = { reference, key: search.get('key') ?? '' };
  const followed = useRead(followRequest, link, { enabled: link.key !== '' });
  return (
    <Narrow title={t('follow.title', { reference })}>
      {link.key === ''
        ? <p>{t('follow.noKey')}</p>
        : (
          <Loaded read={followed} height="h-48">
            {(state) => (
              <div className="flex flex-col gap-6">
                <State state={state} />
                {state.appeals.length > 0 ? <Appeal link={link} state={state} /> : null}
              </div>
            )}
          </Loaded>
        )}
    </Narrow>
  );
}

/** What was decided or comes next, with its times. */
function State({ state }: { state: Followed }) {
  const { t } = useTranslation('moderation');
  const isStatement = state.of === 'statement';
  return (
    <Section
      anchor="state"
      title={t(state.of === 'statement' ? 'follow.of.statement' : `public.forms.${state.of}.title`)}
      lead={t(`follow.status.${state.status}`)}
    >
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-2 text-sm [&_dt]:text-muted">
        <dt>{t(isStatement ? 'follow.decidedOn' : 'follow.sent')}</dt>
        <dd>
          <Moment at={state.sent_at} show="zone" />
        </dd>
        {state.due_at === null ? null : (
          <>
            <dt>{t('follow.due')}</dt>
            <dd>
              <Moment at={state.due_at} show="zone" />
            </dd>
          </>
        )}
        {state.actions.length === 0 ? null : (
          <>
            <dt>{t('follow.decision')}</dt>
            <dd>{state.actions.map((action) => t(`follow.actions.${action}`)).join(' ')}</dd>
          </>
        )}
        {state.suspended_until === null ? null : (
          <>
            <dt>{t('follow.until')}</dt>
            <dd>
              <Moment at={state.suspended_until} show="zone" />
            </dd>
          </>
        )}
        {state.policy === null || state.actions.includes('none') ? null : (
          <>
            <dt>{t('follow.reason')}</dt>
            <dd>{t(`policies.${state.policy}`)}</dd>
          </>
        )}
        {isStatement
          ? (
            <>
              <dt>{t('follow.content')}</dt>
              <dd>{t(`caseKinds.${state.content}`)}</dd>
              <dt>{t('follow.how')}</dt>
              <dd>{t('follow.byPeople')}</dd>
            </>
          )
          : null}
      </dl>
      {isStatement ? <p className="mt-4 text-sm text-muted">{t('follow.redress')}</p> : null}
    </Section>
  );
}

function Appeal({ link, state }: { link: FollowLink; state: Followed }) {
  const { t } = useTranslation('moderation');
  const cache = useCache();
  const [first] = state.appeals;
  const form = useForm(appealDecision, {
    shape: async () => (await import('../../contract/requests.ts')).appealDecision,
    read: (fields) => ({
      ...link,
      ground: (fields.has('ground') ? textOf(fields, 'ground') : first) as AppealGround,
      name: textOf(fields, 'name').trim(),
      statement: textOf(fields, 'statement').trim(),
      accurate: (fields.get('accurate') !== null) as true,
      signature: textOf(fields, 'signature').trim(),
    }),
    onDone: () => void cache.invalidateQueries({ queryKey: queryKeyOf(followRequest) }),
  });
  return (
    <Section anchor="appeal" title={t('appeal.title')} lead={t('appeal.lead')}>
      <form {...form.props} method="post" className="flex flex-col gap-4">
        {state.appeal_until === null ? null : (
          <p className="text-sm">
            {t('appeal.until')} <Moment at={state.appeal_until} show="zone" />
          </p>
        )}
        {state.appeals.length > 1
          ? (
            <Select
              {...form.field('ground')}
              label={t('appeal.ground')}
              required
              placeholder={t('report.choose')}
              defaultValue=""
              options={state.appeals.map((value) => ({ value, text: t(`appeal.grounds.${value}`) }))}
            />
          )
          : null}
        <TextArea
          {...form.field('statement')}
          label={t('appeal.statement')}
          required
          rows={5}
          minLength={MIN_STATEMENT_LENGTH}
          maxLength={MAX_STATEMENT_LENGTH}
        />
        <NameField field={form.field('name')} />
        <Checkbox {...form.field('accurate')} label={t('appeal.accurate')} required />
        <SignatureField field={form.field('signature')} />
        <FormError problem={form.problem} />
        <Button type="submit" tone="primary" busy={form.busy}>{t('appeal.send')}</Button>
      </form>
    </Section>
  );
}

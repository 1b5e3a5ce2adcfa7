import type { OutputOf } from '#platform/contract/call.ts';
import { problemOf, useCache, useCallAddress, useRead } from '#platform/ui/calls/calls.ts';
import { routeData } from '#platform/ui/calls/route.ts';
import { Button, ButtonLink, FileLink } from '#platform/ui/controls/button.tsx';
import { Checkbox, TextField } from '#platform/ui/controls/fields.tsx';
import { textOf, useForm } from '#platform/ui/forms/form.ts';
import { Heading, Title } from '#platform/ui/surfaces/page.tsx';
import { ErrorState, FormError, Skeleton } from '#platform/ui/surfaces/states.tsx';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { Moment } from '#platform/ui/text/moment.tsx';
import { Typed } from '#platform/ui/text/typed.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { CircleCheck, CircleX, Download, TimerOff } from 'lucide-react';
import type { ReactNode } from 'react';
import { useParams } from 'react-router';
import { downloadLegalDocument, getLegalDocument, signLegalDocument } from '../client.ts';
import { isName, MAX_SIGNATURE_LENGTH, MIN_SIGNATURE_LENGTH } from '../rules.ts';
import { rereadOwn } from './live.ts';

type Document = OutputOf<typeof getLegalDocument>;

const wanted = { texts: ['agreements'], always: true, member: true };
export const loader = routeData(wanted);
export const clientLoader = routeData(wanted);
export const handle = { always: true };

/**
 * One document: its text with the form that signs it, or what became of it. It is read by the page, never by
 * the document of the page: what was not opened in a browser does not count as opened.
 */
export default function DocumentPage() {
  const { t } = useTranslation('agreements');
  const { id = '' } = useParams();
  const { data, error, refetch } = useRead(getLegalDocument, { id });
  const problem = error && !data ? problemOf(error, t('document.failed')) : null;
  const isMissing = problem?.errorType === 'NOT_FOUND';
  const title = isMissing ? t('document.notFound') : data?.title ?? t('document.title');
  return (
    <div className="mx-auto w-full max-w-3xl px-4 pt-8">
      <Title>{title}</Title>
      <Heading>
        <Typed>{title}</Typed>
      </Heading>
      {data ? <Shown key={data.id} document={data} /> : problem
        ? (
          <ErrorState
            problem={problem}
            {...(isMissing ? {} : { onRetry: () => void refetch() })}
            action={isMissing
              ? <ButtonLink to="/account/documents">{t('document.all')}</ButtonLink>
              : undefined}
          />
        )
        : (
          <div role="status" aria-busy aria-label={t('document.loading')} className="mt-6">
            <Skeleton className="h-96" />
          </div>
        )}
    </div>
  );
}

function Shown({ document }: { readonly document: Document }) {
  const { t } = useTranslation('agreements');
  const { kind, version, status, expires_at: expiresAt } = document;
  return (
    <>
      <p className="mt-1 text-sm text-muted">
        {t('document.version', { kind: t(`kinds.${kind}`), version })}
        {status === 'open'
          ? (
            <>
              {' · '}
              {t('document.signBy')} <Moment at={expiresAt} show="zone" />
            </>
          )
          : null}
      </p>
      {status === 'open' ? null : <Outcome document={document} />}
      <section
        aria-label={t('document.text')}
        className="mt-6 rounded-card border border-line bg-surface p-4 sm:p-6"
      >
        <div className="max-w-prose leading-relaxed wrap-anywhere whitespace-pre-wrap">
          <Typed>{document.document_text}</Typed>
        </div>
      </section>
      {status === 'open' ? <SignBar document={document} /> : <div className="h-8" />}
    </>
  );
}

/** What became of a document that cannot be signed any more, and what to do next. */
function Outcome({ document }: { readonly document: Document }) {
  const { t } = useTranslation('agreements');
  const addressOf = useCallAddress();
  const { id, status, signed_at: signedAt, expires_at: expiresAt, signature } = document;
  if (status === 'signed') {
    return (
      <State
        icon={<CircleCheck size={24} aria-hidden className="shrink-0 text-success-text" />}
        title={t('document.signedTitle')}
        action={
          <FileLink href={addressOf(downloadLegalDocument, { id })} icon={<Download size={20} aria-hidden />}>
            {t('document.download')}
          </FileLink>
        }
      >
        <dl className="grid gap-x-6 gap-y-1 text-sm sm:grid-cols-[auto_1fr] [&_dd]:wrap-anywhere
          [&_dt]:text-muted">
          <dt>{t('document.signedAt')}</dt>
          <dd>{signedAt ? <Moment at={signedAt} show="zone" /> : null}</dd>
          <dt>{t('document.signedAs')}</dt>
          <dd>
            <Typed>{signature ?? ''}</Typed>
          </dd>
          <dt>{t('document.hash')}</dt>
          <dd className="font-mono text-xs leading-5">{document.text_sha256}</dd>
        </dl>
      </State>
    );
  }
  if (status === 'expired') {
    return (
      <State
        icon={<TimerOff size={24} aria-hidden className="shrink-0 text-warning-text" />}
        title={t('document.expiredTitle')}
        action={<ButtonLink to="/support" tone="primary">{t('document.support')}</ButtonLink>}
      >
        <p>{t('document.expiredText')}</p>
        <p className="mt-1 text-sm text-muted">
          {t('document.expiredAt')} <Moment at={expiresAt} show="zone" />
        </p>
      </State>
    );
  }
  return (
    <State
      icon={<CircleX size={24} aria-hidden className="shrink-0 text-muted" />}
      title={t('document.withdrawnTitle')}
      action={<ButtonLink to="/account/documents">{t('document.all')}</ButtonLink>}
    >
      <p>{t('document.withdrawnText')}</p>
    </State>
  );
}

function State({ icon, title, action, children }: {
  readonly icon: ReactNode;
  readonly title: string;
  readonly action: ReactNode;
  readonly children: ReactNode;
}) {
  return (
    <div role="status" className="mt-6 flex gap-3 rounded-card border border-line bg-raised p-4 sm:p-6">
      {icon}
      <div className="flex min-w-0 grow flex-col items-start gap-4">
        <div className="w-full">
          <h2 className="mb-2 font-bold">{title}</h2>
          {children}
        </div>
        {action}
      </div>
    </div>
  );
}

/** Stays in sight while the text scrolls, above the bar of phones, unless the window is low. */
function SignBar({ document: { secret } }: { readonly document: Document }) {
  const { t } = useTranslation('agreements');
  const cache = useCache();
  const toast = useToast();
  const form = useForm(signLegalDocument, {
    shape: async () => (await import('../contract.ts')).signLegalDocument,
    read: (fields) => ({ secret, signature: textOf(fields, 'signature').trim() }),
    check: ({ signature }, fields) => ({
      ...(isName(signature) ? {} : { signature: t('document.nameWrong') }),
      ...(fields.has('read') ? {} : { read: t('document.readMissing') }),
    }),
    // It may have expired or been withdrawn while it was read: the page then shows that.
    onRefused: (problem) => {
      void rereadOwn(cache);
      return problem;
    },
    onDone: async () => {
      await rereadOwn(cache);
      toast(t('document.done'), 'success');
    },
  });
  return (
    <form
      {...form.props}
      data-foot
      aria-label={t('document.form')}
      className="z-10 -mx-4 mt-6 flex flex-col gap-2 border-t border-line bg-page px-4 py-3
        bottom-[var(--consent,0px)] [@media(min-height:600px)]:sticky
        max-md:[body:has([data-bottom-bar])_&]:bottom-[calc(3.5rem+env(safe-area-inset-bottom))]"
    >
      <FormError problem={form.problem} />
      <TextField
        {...form.field('signature')}
        label={t('document.name')}
        autoComplete="name"
        required
        minLength={MIN_SIGNATURE_LENGTH}
        maxLength={MAX_SIGNATURE_LENGTH}
      />
      <div className="flex flex-col gap-2 sm:flex-row sm:items-center sm:justify-between">
        <Checkbox {...form.field('read')} label={t('document.read')} />
        <Button type="submit" tone="primary" busy={form.busy}>{t('document.sign')}</Button>
      </div>
    </form>
  );
}

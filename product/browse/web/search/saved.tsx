import { problemOf, useAction, useRead } from '#platform/ui/calls/calls.ts';
import { Button, IconButton } from '#platform/ui/controls/button.tsx';
import { Checkbox, TextField } from '#platform/ui/controls/fields.tsx';
import { textOf, useForm } from '#platform/ui/forms/form.ts';
import { Card } from '#platform/ui/surfaces/card.tsx';
import { ErrorState, FormError, Skeleton } from '#platform/ui/surfaces/states.tsx';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { Typed } from '#platform/ui/text/typed.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useMe } from '#product/accounts/web/me.ts';
import { BellRing, Trash2 } from 'lucide-react';
import { Link } from 'react-router';
import { deleteSearch, listSearches, saveSearch } from '../../client.ts';
import { MAX_SEARCH_NAME } from '../../rules/search/facets.ts';
import { searchesAnswered } from './live.ts';
import { ADVANCED_PATH } from './results/load.ts';

/** A member's saved searches, and a form that saves this page's search. Nothing for guests. */
export function Saved({ query, path }: { query: string; path: string }) {
  return useMe() ? <OfMember query={query} path={path} /> : null;
}

function OfMember({ query, path }: { query: string; path: string }) {
  const { t } = useTranslation('browse');
  const { data, error, refetch } = useRead(listSearches, {});
  const remove = useAction(deleteSearch, searchesAnswered);
  return (
    <section aria-label={t('search.saved.title')} className="pt-8">
      <h2 className="pb-3 text-lg font-bold">{t('search.saved.title')}</h2>
      <Card className="flex max-w-xl flex-col gap-4 p-4">
        {data ? null : error
          ? <ErrorState problem={problemOf(error)} onRetry={() => void refetch()} />
          : <Skeleton className="h-11" />}
        {data?.searches.length === 0
          ? <p className="text-sm text-muted">{t('search.saved.none')}</p>
          : null}
        <ul className="flex flex-col empty:hidden">
          {data?.searches.map(({ id, name, query: saved, notify }) => (
            <li key={id} className="flex items-center gap-2">
              <Link
                to={`${path === ADVANCED_PATH ? path : ADVANCED_PATH}?${saved}`}
                className="flex min-h-11 min-w-0 grow items-center gap-2 text-sm font-medium text-accent"
              >
                <span className="truncate">
                  <Typed>{name}</Typed>
                </span>
                {notify
                  ? (
                    <span className="inline-flex items-center gap-1 text-xs text-muted">
                      <BellRing size={14} aria-hidden />
                      {t('search.saved.notifies')}
                    </span>
                  )
                  : null}
              </Link>
              <IconButton
                label={t('search.saved.delete', { name })}
                disabled={remove.busy}
                onClick={() =>
                  void remove.run({ id })}
              >
                <Trash2 size={20} aria-hidden />
              </IconButton>
            </li>
          ))}
        </ul>
        <FormError problem={remove.problem} />
        {query === '' ? null : <SaveForm query={query} />}
      </Card>
    </section>
  );
}

function SaveForm({ query }: { query: string }) {
  const { t } = useTranslation('browse');
  const toast = useToast();
  const form = useForm(saveSearch, {
    shape: async () => (await import('../../contract/search.ts')).saveSearch,
    read: (fields) => ({
      name: textOf(fields, 'name').trim(),
      query,
      notify: fields.get('notify') !== null,
    }),
    applied: searchesAnswered,
    onDone: () => toast(t('search.saved.done'), 'success'),
  });
  return (
    <form {...form.props} className="flex flex-col gap-2">
      <TextField
        {...form.field('name')}
        label={t('search.saved.name')}
        maxLength={MAX_SEARCH_NAME}
        autoComplete="off"
        required
      />
      <Checkbox name="notify" label={t('search.saved.notify')} />
      <FormError problem={form.problem} />
      <span>
        <Button type="submit" busy={form.busy}>{t('search.saved.save')}</Button>
      </span>
    </form>
  );
}

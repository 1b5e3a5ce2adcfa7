import { useAction, useRead } from '#platform/ui/calls/calls.ts';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useMe } from '#product/accounts/web/me.ts';
import { useCallback, useMemo } from 'react';
import { getIgnoredNames, ignorePerson, unignorePerson } from '../../client.ts';
import { useProblemToast } from '../problem-toast.ts';
import { showIgnore, useIgnoreEvents } from './live.ts';

interface Named {
  readonly username: string;
  /** The display name. */
  readonly name: string;
}

export interface Ignoring {
  readonly usernames: ReadonlySet<string>;
  readonly ignore: (person: Named) => void;
  readonly unignore: (person: Named) => void;
}

/** The people this viewer ignores, and functions to change that. A guest ignores nobody. */
export function useIgnoring(): Ignoring {
  const { t } = useTranslation('messaging');
  const toast = useToast();
  const { data } = useRead(getIgnoredNames, {}, { enabled: useMe() !== null });
  useIgnoreEvents();
  const ignoring = useAction(ignorePerson, showIgnore);
  const ending = useAction(unignorePerson, showIgnore);
  useProblemToast(ignoring.problem ?? ending.problem);
  const { run } = ignoring;
  const { run: end } = ending;
  const unignore = useCallback(async ({ username, name }: Named) => {
    if (await end({ username })) toast(t('ignore.undone', { name }), 'success');
  }, [end, t, toast]);
  const ignore = useCallback(async ({ username, name }: Named) => {
    if (!(await run({ username }))) return;
    toast(t('ignore.done', { name }), 'success', {
      action: { text: t('ignore.undo'), onClick: () => void unignore({ username, name }) },
    });
  }, [run, t, toast, unignore]);
  const usernames = useMemo(() => new Set(data?.usernames), [data]);
  return useMemo(() => ({
    usernames,
    ignore: (person) => void ignore(person),
    unignore: (person) => void unignore(person),
  }), [ignore, unignore, usernames]);
}

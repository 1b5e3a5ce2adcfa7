import {
  useEffect,
  useId,
  useImperativeHandle,
  useLayoutEffect,
  useMemo,
  useRef,
  type ReactNode,
  type Ref,
  type RefObject,
} from 'react';
import { ListKeyboardDelegate, useListBox, useOption } from 'react-aria';
import { Item, useListState, type ListState } from 'react-stately';

export interface Suggestion {
  readonly key: string;
  /** The text for screen readers. */
  readonly text: string;
  readonly content?: ReactNode;
}

export interface SuggestionKeys {
  /** Handles a key that was pressed in the field; false when it is not for the list. */
  readonly take: (key: string) => boolean;
}

/** Ids for the field: of the list as `aria-controls`, of the option as `aria-activedescendant`. */
export interface ActiveSuggestion {
  readonly list: string;
  readonly option: string;
}

interface SuggestionsProps {
  readonly keys: Ref<SuggestionKeys>;
  readonly label: string;
  /** At least one. */
  readonly items: readonly Suggestion[];
  readonly onTake: (key: string) => void;
  readonly onActive: (active: ActiveSuggestion | null) => void;
  readonly onClose: () => void;
  /** Opens under the field, with no option active until an arrow is pressed: Enter belongs to the field. */
  readonly below?: boolean;
  /** Id of the list, for a field that refers to it even while no option is active. */
  readonly listId?: string;
}

/**
 * Suggestions for the text in a field: a list box above it, whose options are reached by arrows while the
 * focus stays in the field. Mount it while there are suggestions; the field passes its keys on.
 */
export function Suggestions(
  { keys, label, items, onTake, onActive, onClose, below = false, listId }: SuggestionsProps,
) {
  const list = useRef<HTMLDivElement>(null);
  const ownId = useId();
  const id = listId ?? ownId;
  const children = useMemo(
    () => items.map(({ key, text, content }) => <Item key={key} textValue={text}>{content ?? text}</Item>),
    [items],
  );
  const state = useListState<object>({ children, selectionMode: 'none' });
  const { collection, selectionManager: { focusedKey } } = state;
  const manager = useRef(state.selectionManager);
  manager.current = state.selectionManager;
  const { listBoxProps } = useListBox(
    {
      id,
      'aria-label': label,
      shouldUseVirtualFocus: true,
      shouldFocusOnHover: true,
      onAction: (key) => onTake(String(key)),
    },
    state,
    list,
  );
  useLayoutEffect(() => {
    manager.current.setFocused(true);
    manager.current.setFocusedKey(below ? null : collection.getFirstKey());
  }, [below, collection]);
  useActive(list, focusedKey === null ? null : String(focusedKey), onActive);
  useImperativeHandle(keys, () => ({
    take: (key) => {
      const delegate = new ListKeyboardDelegate({ collection, ref: list });
      const target = targetOf(delegate, key, manager.current.focusedKey);
      if (target !== null) manager.current.setFocusedKey(target);
      else if (key === 'Escape') onClose();
      else if ((key === 'Enter' || key === 'Tab') && manager.current.focusedKey !== null) {
        onTake(String(manager.current.focusedKey));
      } else return false;
      return true;
    },
  }), [collection, onClose, onTake]);
  return (
    <div
      {...listBoxProps}
      ref={list}
      className={`absolute inset-x-0 z-40 rounded-card border border-line bg-raised p-1 shadow-float
        ${below ? 'top-full mt-1 max-h-[70dvh] overflow-y-auto' : 'bottom-full mb-1'}`}
    >
      {[...collection].map(({ key, rendered }) => (
        <Option key={key} id={String(key)} state={state}>{rendered}</Option>
      ))}
    </div>
  );
}

/** The option an arrow leads to, wrapping around at both ends. */
function targetOf(delegate: ListKeyboardDelegate<object>, key: string, from: string | number | null) {
  if (key === 'ArrowDown') {
    return (from === null ? null : delegate.getKeyBelow(from)) ?? delegate.getFirstKey();
  }
  if (key === 'ArrowUp') return (from === null ? null : delegate.getKeyAbove(from)) ?? delegate.getLastKey();
  return null;
}

/** Sets the active option on the field while the list is shown. */
function useActive(
  list: RefObject<HTMLElement | null>,
  key: string | null,
  onActive: SuggestionsProps['onActive'],
): void {
  useEffect(() => {
    const options = [...list.current?.querySelectorAll<HTMLElement>('[role=option]') ?? []];
    const option = options.find((element) => element.dataset['key'] === key);
    onActive(list.current && option ? { list: list.current.id, option: option.id } : null);
  }, [key, list, onActive]);
  useEffect(() => () => onActive(null), [onActive]);
}

function Option({ id, state, children }: {
  readonly id: string;
  readonly state: ListState<object>;
  readonly children: ReactNode;
}) {
  const option = useRef<HTMLDivElement>(null);
  const { optionProps, isFocused } = useOption({ key: id }, state, option);
  return (
    <div
      {...optionProps}
      ref={option}
      className={`flex min-h-11 cursor-pointer items-center gap-2 rounded-control px-3 text-sm outline-none
        ${isFocused ? 'bg-line' : ''}`}
    >
      {children}
    </div>
  );
}

import { GripVertical } from 'lucide-react';
import { Fragment, useEffect, useMemo, useRef, type ReactNode, type RefObject } from 'react';
import {
  ListDropTargetDelegate,
  ListKeyboardDelegate,
  useButton,
  useDraggableCollection,
  useDraggableItem,
  useDropIndicator,
  useDroppableCollection,
  type DropIndicatorProps,
} from 'react-aria';
import {
  Item,
  useDraggableCollectionState,
  useDroppableCollectionState,
  useListState,
  type DraggableCollectionState,
  type DroppableCollectionState,
} from 'react-stately';

interface SortableProps<T> {
  readonly label: string;
  readonly items: readonly T[];
  readonly keyOf: (item: T) => string;
  /** The name of an item for screen readers while it is moved. */
  readonly nameOf: (item: T, index: number) => string;
  /** @param to index in the list without the moved item */
  readonly onMove: (from: number, to: number) => void;
  /** @param handle drags the item; put it first in its row */
  readonly children: (item: T, index: number, handle: ReactNode) => ReactNode;
}

type Key = string | number;
type Target = DropIndicatorProps['target'];
const gap = (key: Key, dropPosition: 'before' | 'after'): Target => ({ type: 'item', key, dropPosition });

/**
 * A list whose items are moved by dragging their handles, or with the keyboard: Enter on a handle, arrows,
 * Enter; Escape leaves the item where it was. Screen readers get a live message at every step.
 */
export function Sortable<T>({ label, items, keyOf, nameOf, onMove, children }: SortableProps<T>) {
  const list = useRef<HTMLOListElement>(null);
  const moved = useFocusOnMoved(list, items);
  const keys = items.map(keyOf);
  const { drag, drop, collectionProps, focus } = useReordering(list, {
    names: items.map((item, index) => [keyOf(item), nameOf(item, index)] as const),
    onMove: (key, target) => {
      const from = keys.indexOf(key);
      const rest = keys.filter((text) => text !== key);
      const at = target.type === 'item' ? rest.indexOf(String(target.key)) : -1;
      if (from === -1 || at === -1 || target.type !== 'item') return;
      moved.current = key;
      onMove(from, target.dropPosition === 'after' ? at + 1 : at);
    },
  });
  const last = keys.at(-1);
  return (
    <ol {...collectionProps} ref={list} aria-label={label} className="@container flex flex-col gap-2">
      {items.map((item, index) => {
        const key = keyOf(item);
        const handle = <Handle id={key} state={drag} onFocus={() => focus(key)} />;
        return (
          <Fragment key={key}>
            <Gap target={gap(key, 'before')} state={drop} />
            <li data-key={key} className={drag.isDragging(key) ? 'opacity-50' : ''}>
              {children(item, index, handle)}
            </li>
          </Fragment>
        );
      })}
      {last === undefined ? null : <Gap target={gap(last, 'after')} state={drop} />}
    </ol>
  );
}

interface Reordering {
  readonly names: readonly (readonly [key: string, name: string])[];
  readonly onMove: (key: string, target: Target) => void;
}

/** The library's drag and drop within one list. */
function useReordering(list: RefObject<HTMLOListElement | null>, { names, onMove }: Reordering) {
  const children = names.map(([key, name]) => <Item key={key} textValue={name}>{name}</Item>);
  const state = useListState({ children, selectionMode: 'none' });
  const { collection, selectionManager } = state;
  const shared = { collection, selectionManager };
  const drag = useDraggableCollectionState({
    ...shared,
    getItems: (moving) => [...moving].map((key) => ({ 'text/plain': String(key) })),
    getAllowedDropOperations: () => ['move'],
  });
  useDraggableCollection({}, drag, list);
  const onReorder = ({ keys, target }: { keys: Set<Key>; target: Target }) => {
    for (const key of keys) onMove(String(key), target);
  };
  const drop = useDroppableCollectionState({ ...shared, onReorder });
  const delegates = useMemo(() => ({
    keyboardDelegate: new ListKeyboardDelegate({ collection, ref: list }),
    dropTargetDelegate: new ListDropTargetDelegate(collection, list),
  }), [collection, list]);
  const { collectionProps } = useDroppableCollection({ ...delegates, onReorder }, drop, list);
  return { drag, drop, collectionProps, focus: (key: Key) => selectionManager.setFocusedKey(key) };
}

/** After a move, focuses the handle of the moved item: the drop target that had the focus is gone. */
function useFocusOnMoved(list: RefObject<HTMLElement | null>, items: readonly unknown[]) {
  const moved = useRef<string | null>(null);
  useEffect(() => {
    if (moved.current === null) return;
    list.current?.querySelector<HTMLElement>(`[data-key="${moved.current}"] [data-handle]`)?.focus();
    moved.current = null;
  }, [items, list]);
  return moved;
}

function Handle({ id, state, onFocus }: {
  readonly id: string;
  readonly state: DraggableCollectionState;
  readonly onFocus: () => void;
}) {
  const button = useRef<HTMLButtonElement>(null);
  const { dragProps, dragButtonProps } = useDraggableItem({ key: id, hasDragButton: true }, state);
  const { buttonProps } = useButton({ ...dragButtonProps, onFocus }, button);
  return (
    // The pointer drags the frame, because not every browser can drag a button.
    <span {...dragProps} className="inline-flex cursor-grab rounded-control hover:bg-raised">
      <button
        {...buttonProps}
        ref={button}
        data-handle
        className="pointer-events-none inline-flex size-11 items-center justify-center rounded-control
          text-muted"
      >
        <GripVertical size={18} aria-hidden />
      </button>
    </span>
  );
}

/** A drop target, which is shown and reached by arrows only while an item is moved. */
function Gap({ target, state }: { readonly target: Target; readonly state: DroppableCollectionState }) {
  const line = useRef<HTMLLIElement>(null);
  const { dropIndicatorProps, isDropTarget, isHidden } = useDropIndicator({ target }, state, line);
  if (isHidden) return null;
  return (
    <li
      {...dropIndicatorProps}
      ref={line}
      className={`-my-1.5 h-1 rounded-full outline-none ${isDropTarget ? 'bg-focus' : ''}`}
    />
  );
}

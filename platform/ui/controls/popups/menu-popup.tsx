import { Check } from 'lucide-react';
import { useRef, type ReactNode, type RefObject } from 'react';
import { useInteractOutside } from 'react-aria';
import { Menu, MenuItem as Item, Popover, RouterProvider, type PopoverProps } from 'react-aria-components';
import { useNavigate } from 'react-router';

export interface MenuItem {
  readonly key: string;
  readonly text: string;
  /** Language of the text, where it is not that of the page. */
  readonly lang?: string;
  readonly icon?: ReactNode;
  readonly to?: string;
  readonly onChoose?: () => void;
  /** Set where one of several is chosen, such as the current language. */
  readonly chosen?: boolean;
}

interface MenuPopupProps {
  /** The button that opened the menu: the list stands beside it, and gives the focus back to it. */
  readonly button: RefObject<HTMLElement | null>;
  readonly label: string;
  readonly items: readonly MenuItem[];
  readonly placement: PopoverProps['placement'];
  /** Which item has the focus at first. */
  readonly focusOn?: 'first' | 'last';
  readonly onClose: () => void;
}

const ITEM = 'flex w-full min-h-11 cursor-pointer items-center gap-3 rounded-control px-3 text-left text-sm '
  + 'outline-none data-focused:bg-line';

/** Room between button and list, and between list and edge of the window, in pixels. */
const GAP_PX = 4;
const EDGE_PX = 8;

/** The open list of a menu: mounted while it is open. */
export function MenuPopup({ button, label, items, placement, focusOn = 'first', onClose }: MenuPopupProps) {
  const navigate = useNavigate();
  const popup = useRef<HTMLElement>(null);
  // The button opens and closes by itself.
  const isOutside = (target: EventTarget | null): boolean => !button.current?.contains(target as Node);
  useInteractOutside({
    ref: popup,
    onInteractOutside: ({ target }) => {
      if (isOutside(target)) onClose();
    },
  });
  const chosen = items.filter((item) => item.chosen).map(({ key }) => key);
  const isChoice = items.some((item) => item.chosen !== undefined);
  return (
    <RouterProvider navigate={(to) => void navigate(to)}>
      {/* Non-modal: nothing else is hidden, and the page goes on scrolling, which closes the menu. */}
      <Popover
        ref={popup} isOpen isNonModal triggerRef={button} placement={placement ?? 'bottom end'}
        offset={GAP_PX} containerPadding={EDGE_PX} onOpenChange={onClose}
        shouldCloseOnInteractOutside={isOutside}
        // What is in the top layer hides or blocks everything outside it.
        UNSTABLE_portalContainer={button.current?.closest<HTMLElement>('dialog, :fullscreen') ?? undefined}
        className="min-w-52 overflow-y-auto rounded-card border border-line bg-raised p-1 text-text
          shadow-float">
        <Menu
          // oxlint-disable-next-line jsx-a11y/no-autofocus -- an opened menu takes the focus (ARIA APG)
          autoFocus={focusOn}
          aria-label={label} items={items} shouldFocusWrap onClose={onClose}
          selectionMode={isChoice ? 'single' : 'none'} selectedKeys={chosen}
          disallowEmptySelection className="outline-none">
          {(item) => (
            <Item id={item.key} textValue={item.text} href={item.to} onAction={item.onChoose}
              className={ITEM}>
              {item.icon}
              <span lang={item.lang} className={item.chosen ? 'font-bold' : ''}>{item.text}</span>
              {item.chosen ? <Check size={18} aria-hidden className="ml-auto text-accent" /> : null}
            </Item>
          )}
        </Menu>
      </Popover>
    </RouterProvider>
  );
}

import {
  elementScroll,
  observeElementOffset,
  observeElementRect,
  type VirtualItem,
  Virtualizer,
} from '@tanstack/virtual-core'
import type { RefObject } from 'preact'
import { useLayoutEffect, useReducer, useRef } from 'preact/hooks'

export interface VirtualRows {
  /** The rows that are to be drawn, each with the place where it begins. */
  items: readonly VirtualItem[]
  /** The height of all rows. */
  height: number
  /** The place of a row below the heads. */
  topOf: (item: VirtualItem) => number
  scrollTo: (index: number) => void
}

/** The rows of a long list that are in sight, each as high as the others, below a line of heads that is as high. */
export function useVirtualRows(
  count: number,
  rowHeight: number,
  scroller: RefObject<HTMLElement | null>,
): VirtualRows {
  const [, redraw] = useReducer((times: number, _: undefined) => times + 1, 0)
  const kept = useRef<Virtualizer<HTMLElement, Element> | null>(null)
  const options = {
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 8,
    // The heads of the columns stay above the rows.
    scrollMargin: rowHeight,
    scrollPaddingStart: rowHeight,
    scrollToFn: elementScroll,
    observeElementRect,
    observeElementOffset,
    onChange: () => redraw(undefined),
  }
  kept.current ??= new Virtualizer<HTMLElement, Element>(options)
  const virtualizer = kept.current
  virtualizer.setOptions(options)
  useLayoutEffect(() => virtualizer._didMount(), [virtualizer])
  useLayoutEffect(() => virtualizer._willUpdate())
  return {
    items: virtualizer.getVirtualItems(),
    height: virtualizer.getTotalSize(),
    topOf: ({ start }) => start - rowHeight,
    scrollTo: index => virtualizer.scrollToIndex(index, { align: 'auto' }),
  }
}

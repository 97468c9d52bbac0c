import {
  forceCollide,
  forceLink,
  forceManyBody,
  forceSimulation,
  forceX,
  forceY,
  type Simulation,
  type SimulationLinkDatum,
  type SimulationNodeDatum,
} from 'd3-force'
import type { JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { visibleText } from '../../src/policy/shown-text.js'
import { type Drawn, type Graph, isTool } from '../data/graph.js'

interface Body extends SimulationNodeDatum {
  number: number
  x: number
  y: number
  radius: number
}

interface Bond extends SimulationLinkDatum<Body> {
  source: Body
  target: Body
  kind: string
  isCycle: boolean
}

/** The place and the scale of the drawing in its element. */
interface Camera {
  x: number
  y: number
  scale: number
}

/** Steps of the layout. */
const STEPS = 300
/** With more nodes, only those that the pointer is on, and the focused one, have their names. */
const NAMED_MAX = 70
/** With more edges, arrows would be a blur. */
const ARROWS_MAX = 400

/** A graph on a canvas, laid out one step a frame. The list beside it says the same to those who do not see it. */
export function GraphCanvas({
  graph,
  drawn,
  focus,
  choose,
}: {
  graph: Graph
  drawn: Drawn
  focus: number
  choose: (node: number) => void
}): JSX.Element {
  const canvas = useRef<HTMLCanvasElement>(null)
  const chosen = useRef(choose)
  chosen.current = choose
  useEffect(() => {
    if (!canvas.current) return
    return animate(canvas.current, graph, drawn, focus, node => chosen.current(node))
  }, [graph, drawn, focus])
  return (
    <canvas
      ref={canvas}
      class="graph-canvas"
      role="img"
      aria-label={`A drawing of ${drawn.nodes.length} nodes and ${drawn.edges.length} references`}
    />
  )
}

/** Lays the graph out and draws it until it is stopped. */
function animate(
  canvas: HTMLCanvasElement,
  graph: Graph,
  drawn: Drawn,
  focus: number,
  choose: (node: number) => void,
): () => void {
  const { bodies, bonds } = bodiesOf(graph, drawn, focus)
  const layout = layoutOf(bodies, bonds)
  const camera: Camera = { x: 0, y: 0, scale: 1 }
  let isMoved = false
  let hovered: Body | null = null
  let step = 0
  let frame = 0
  const isCalm = matchMedia('(prefers-reduced-motion: reduce)').matches
  const draw = (): void => paint(canvas, { graph, bodies, bonds, camera, focus, hovered })
  const tick = (): void => {
    frame = 0
    const until = performance.now() + 12
    // Without motion, steps are taken unseen, as many as a frame has time for.
    do layout.tick()
    while (++step < STEPS && isCalm && performance.now() < until)
    if (!isMoved) fitCamera(camera, bodies, canvas)
    if (!isCalm || step >= STEPS) draw()
    if (step < STEPS) frame = requestAnimationFrame(tick)
  }
  const redraw = (): void => {
    if (frame === 0) draw()
  }
  frame = requestAnimationFrame(tick)
  const observer = new ResizeObserver(() => {
    if (!isMoved) fitCamera(camera, bodies, canvas)
    redraw()
  })
  observer.observe(canvas)
  const scheme = matchMedia('(prefers-color-scheme: dark)')
  scheme.addEventListener('change', redraw)
  const stop = listen(canvas, camera, {
    at: (x, y) => nearest(bodies, x, y, camera),
    moved: () => {
      isMoved = true
      redraw()
    },
    hover: body => {
      hovered = body
      canvas.classList.toggle('pointing', body !== null)
      redraw()
    },
    choose: body => choose(body.number),
  })
  return () => {
    cancelAnimationFrame(frame)
    observer.disconnect()
    scheme.removeEventListener('change', redraw)
    stop()
  }
}

function bodiesOf(graph: Graph, { nodes, edges }: Drawn, focus: number): { bodies: Body[]; bonds: Bond[] } {
  const bodies = nodes.map((number, at): Body => {
    // A spiral, so that the same graph is always drawn the same.
    const [radius, angle] = [12 * Math.sqrt(at + 0.5), at * 2.4]
    const degree = (graph.out[number]?.length ?? 0) + (graph.into[number]?.length ?? 0)
    const body = { number, x: radius * Math.cos(angle), y: radius * Math.sin(angle) }
    return { ...body, radius: (number === focus ? 7 : 4) + Math.min(6, Math.sqrt(degree)) }
  })
  const byNumber = new Map(bodies.map(body => [body.number, body]))
  const bonds = edges.flatMap(({ from, to, kind }): Bond[] => {
    const [source, target] = [byNumber.get(from), byNumber.get(to)]
    const isCycle = graph.inCycle.has(from) && graph.inCycle.has(to)
    return source && target && source !== target ? [{ source, target, kind, isCycle }] : []
  })
  return { bodies, bonds }
}

function layoutOf(bodies: Body[], bonds: Bond[]): Simulation<Body, Bond> {
  return forceSimulation(bodies)
    .force('bonds', forceLink<Body, Bond>(bonds).distance(bodies.length > NAMED_MAX ? 64 : 110))
    .force(
      'apart',
      forceManyBody()
        .strength(bodies.length > NAMED_MAX ? -170 : -420)
        .distanceMax(420),
    )
    .force(
      'collide',
      forceCollide<Body>(({ radius }) => radius + 5),
    )
    .force('x', forceX(0).strength(0.06))
    .force('y', forceY(0).strength(0.08))
    .stop()
}

/** Moves and scales the drawing so that all of it is seen. */
function fitCamera(
  camera: Camera,
  bodies: readonly Body[],
  { clientWidth, clientHeight }: HTMLCanvasElement,
): void {
  const [left, right] = [Math.min(...bodies.map(({ x }) => x)), Math.max(...bodies.map(({ x }) => x))]
  const [top, bottom] = [Math.min(...bodies.map(({ y }) => y)), Math.max(...bodies.map(({ y }) => y))]
  const [width, height] = [right - left + 200, bottom - top + 90]
  camera.scale = Math.min(1.5, clientWidth / width, clientHeight / height)
  camera.x = clientWidth / 2 - ((left + right) / 2) * camera.scale
  camera.y = clientHeight / 2 - ((top + bottom) / 2) * camera.scale
}

interface Painted {
  graph: Graph
  bodies: readonly Body[]
  bonds: readonly Bond[]
  camera: Camera
  focus: number
  hovered: Body | null
}

function paint(canvas: HTMLCanvasElement, { graph, bodies, bonds, camera, focus, hovered }: Painted): void {
  const context = canvas.getContext('2d')
  if (!context) return
  const density = devicePixelRatio
  const [width, height] = [
    Math.round(canvas.clientWidth * density),
    Math.round(canvas.clientHeight * density),
  ]
  if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height })
  const styles = getComputedStyle(canvas)
  const color = (name: string): string => styles.getPropertyValue(`--${name}`)
  context.setTransform(density, 0, 0, density, 0, 0)
  context.clearRect(0, 0, canvas.clientWidth, canvas.clientHeight)
  context.translate(camera.x, camera.y)
  context.scale(camera.scale, camera.scale)
  const isLit = ({ source, target }: Bond): boolean => source === hovered || target === hovered
  context.lineWidth = 1.1 / camera.scale
  for (const bond of bonds) {
    context.strokeStyle = bond.isCycle ? color('error') : isLit(bond) ? color('accent') : color('edge-line')
    context.setLineDash(bond.kind === 'middleware' || bond.kind === 'peer' ? [4, 3] : [])
    drawBond(context, bond, bonds.length <= ARROWS_MAX)
  }
  context.setLineDash([])
  for (const { number, x, y, radius } of bodies) {
    const node = graph.nodes[number]
    const isMissing = node?.kind === 'missing'
    context.beginPath()
    context.arc(x, y, radius, 0, 2 * Math.PI)
    context.fillStyle = isMissing || !node || !isTool(node) ? color('paper') : color('accent')
    context.fill()
    context.strokeStyle = isMissing ? color('error') : node && isTool(node) ? color('paper') : color('quiet')
    context.stroke()
    if (number === focus) {
      context.beginPath()
      context.arc(x, y, radius + 3.5, 0, 2 * Math.PI)
      context.strokeStyle = color('ink')
      context.stroke()
    }
  }
  const areNamed = bodies.length <= NAMED_MAX || camera.scale > 1.6
  const named = bodies.filter(body => areNamed || body.number === focus || body === hovered)
  context.font = `${12 / camera.scale}px ${styles.fontFamily}`
  context.textAlign = 'center'
  context.textBaseline = 'top'
  context.lineJoin = 'round'
  for (const { number, x, y, radius } of named) {
    const label = shortened(visibleText(graph.nodes[number]?.name ?? ''))
    const top = y + radius + 4 / camera.scale
    context.lineWidth = 4 / camera.scale
    context.strokeStyle = color('ground')
    context.strokeText(label, x, top)
    context.fillStyle = color('ink')
    context.fillText(label, x, top)
  }
}

function drawBond(context: CanvasRenderingContext2D, { source, target }: Bond, hasArrow: boolean): void {
  const [dx, dy] = [target.x - source.x, target.y - source.y]
  const length = Math.hypot(dx, dy) || 1
  const [ux, uy] = [dx / length, dy / length]
  const [endX, endY] = [target.x - ux * (target.radius + 2), target.y - uy * (target.radius + 2)]
  context.beginPath()
  context.moveTo(source.x, source.y)
  context.lineTo(endX, endY)
  if (hasArrow) {
    context.moveTo(endX - ux * 6 - uy * 3, endY - uy * 6 + ux * 3)
    context.lineTo(endX, endY)
    context.lineTo(endX - ux * 6 + uy * 3, endY - uy * 6 - ux * 3)
  }
  context.stroke()
}

const LABEL_MAX = 30

function shortened(text: string): string {
  return text.length > LABEL_MAX ? `${text.slice(0, LABEL_MAX - 1)}…` : text
}

function nearest(bodies: readonly Body[], left: number, top: number, camera: Camera): Body | null {
  const [x, y] = [(left - camera.x) / camera.scale, (top - camera.y) / camera.scale]
  const near = bodies.filter(body => Math.hypot(body.x - x, body.y - y) < body.radius + 5 / camera.scale)
  return near.sort((a, b) => Math.hypot(a.x - x, a.y - y) - Math.hypot(b.x - x, b.y - y))[0] ?? null
}

interface Gestures {
  at: (x: number, y: number) => Body | null
  moved: () => void
  hover: (body: Body | null) => void
  choose: (body: Body) => void
}

/** Lets a pointer move, scale and choose. */
function listen(
  canvas: HTMLCanvasElement,
  camera: Camera,
  { at, moved, hover, choose }: Gestures,
): () => void {
  const ending = new AbortController()
  const { signal } = ending
  let start: { x: number; y: number } | null = null
  let isDragged = false
  canvas.addEventListener(
    'pointerdown',
    event => {
      start = { x: event.offsetX, y: event.offsetY }
      isDragged = false
      canvas.setPointerCapture(event.pointerId)
    },
    { signal },
  )
  canvas.addEventListener(
    'pointermove',
    event => {
      if (!start) return hover(at(event.offsetX, event.offsetY))
      const [dx, dy] = [event.offsetX - start.x, event.offsetY - start.y]
      if (!isDragged && Math.hypot(dx, dy) < 4) return
      isDragged = true
      camera.x += dx
      camera.y += dy
      start = { x: event.offsetX, y: event.offsetY }
      moved()
    },
    { signal },
  )
  canvas.addEventListener(
    'pointerup',
    event => {
      const body = isDragged ? null : at(event.offsetX, event.offsetY)
      start = null
      if (body) choose(body)
    },
    { signal },
  )
  canvas.addEventListener('pointerleave', () => hover(null), { signal })
  canvas.addEventListener(
    'wheel',
    event => {
      event.preventDefault()
      const factor = Math.exp(-event.deltaY / 400)
      const scale = Math.min(6, Math.max(0.1, camera.scale * factor))
      camera.x = event.offsetX - ((event.offsetX - camera.x) * scale) / camera.scale
      camera.y = event.offsetY - ((event.offsetY - camera.y) * scale) / camera.scale
      camera.scale = scale
      moved()
    },
    { signal, passive: false },
  )
  return () => ending.abort()
}

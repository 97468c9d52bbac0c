import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { JsonObject, JsonValue } from '../../src/base/json.js'
import { commandLine, type Field, fieldsOf } from '../data/command-line.js'
import { Text } from './text.js'

/** The arguments of a skill as a form, which gives the command that calls it. The page itself runs nothing. */
export function CommandForm({ name, params }: { name: string; params: JsonObject | null }): JSX.Element {
  const fields = fieldsOf(params)
  const [values, setValues] = useState<ReadonlyMap<string, string>>(new Map())
  const command = commandLine(name, fields, values)
  return (
    <form class="command-form" onSubmit={event => event.preventDefault()}>
      {fields.map(field => (
        <FormField
          key={field.name}
          field={field}
          value={values.get(field.name) ?? ''}
          set={value => setValues(new Map(values).set(field.name, value))}
        />
      ))}
      <CopyLine text={command} />
    </form>
  )
}

function FormField({
  field: { name, type, choices, isRequired, description },
  value,
  set,
}: {
  field: Field
  value: string
  set: (value: string) => void
}): JSX.Element {
  const choose = type === 'boolean' ? ['true', 'false'] : choices
  return (
    <label>
      <span class="label">
        <Text>{name}</Text>
        <span class="type">{`${type}${isRequired ? ', required' : ''}`}</span>
      </span>
      {choose.length > 0 ? (
        <select value={value} onChange={event => set(event.currentTarget.value)}>
          <option value="">–</option>
          {choose.map(choice => (
            <option key={choice} value={choice}>
              <Text>{choice}</Text>
            </option>
          ))}
        </select>
      ) : (
        <input
          type="text"
          value={value}
          autocomplete="off"
          spellcheck={false}
          onInput={event => set(event.currentTarget.value)}
        />
      )}
      {description !== '' && (
        <span class="hint">
          <Text>{description}</Text>
        </span>
      )}
    </label>
  )
}

/** A line to copy. */
export function CopyLine({ text }: { text: string }): JSX.Element {
  const [said, say] = useState('Copy')
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text)
      say('Copied')
    } catch {
      say('Select it and copy')
    }
    setTimeout(() => say('Copy'), 2000)
  }
  return (
    <div class="copy-line">
      <code>
        <Text>{text}</Text>
      </code>
      <button type="button" onClick={copy}>
        {said}
      </button>
    </div>
  )
}

/** A JSON value on one line. */
export function Json({ value }: { value: JsonValue }): JSX.Element {
  return (
    <code class="json">
      <Text>{JSON.stringify(value)}</Text>
    </code>
  )
}

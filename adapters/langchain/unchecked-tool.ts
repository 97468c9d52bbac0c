import { DynamicStructuredTool, type ToolRunnableConfig } from '@langchain/core/tools'

type Schema = Record<string, unknown>

/** A tool whose arguments LangChain passes on as they are: agent-apps checks them, and tells the model what is wrong. */
export class UncheckedTool extends DynamicStructuredTool<Schema, unknown, unknown> {
  override call: DynamicStructuredTool<Schema, unknown, unknown>['call'] = (arg, config, tags) => {
    // The model was told the tool's schema; LangChain compares with this one, which anything fits.
    const unchecked = Object.create(this, { schema: { value: {} } }) as UncheckedTool
    return DynamicStructuredTool.prototype.call.call(
      unchecked,
      arg as never,
      config as ToolRunnableConfig,
      tags,
    )
  }
}

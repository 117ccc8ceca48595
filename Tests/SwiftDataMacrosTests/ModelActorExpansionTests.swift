import Testing

@Suite("@ModelActor")
struct ModelActorExpansionTests {
  @Test("A public actor gets public members and the conformance")
  func publicActor() {
    let result = expandModel(
      """
      @ModelActor public actor Importer {
      }
      """)
    #expect(result.messages == [])
    #expect(
      result.text == """
        public actor Importer {

          public nonisolated let modelExecutor: any SwiftData.ModelExecutor

          public nonisolated let modelContainer: SwiftData.ModelContainer

          public init(modelContainer: SwiftData.ModelContainer) {
            let modelContext = SwiftData.ModelContext(modelContainer)
            self.modelExecutor = SwiftData.DefaultSerialModelExecutor(modelContext: modelContext)
            self.modelContainer = modelContainer
          }
        }

        extension Importer: SwiftData.ModelActor {
        }
        """)
  }

  @Test("What the actor declares itself is not written again")
  func declaredMembers() {
    let result = expandModel(
      """
      @ModelActor actor Importer {
        nonisolated let modelExecutor: any ModelExecutor
        nonisolated let modelContainer: ModelContainer
        init(modelContainer: ModelContainer) {}
      }
      """)
    #expect(result.messages == [])
    #expect(result.text.components(of: "modelExecutor") == 1)
    #expect(result.text.components(of: "init(") == 1)
  }

  @Test("An actor with properties to set keeps its own initializer only")
  func ownInitializer() {
    let result = expandModel(
      """
      @ModelActor actor Importer {
        let batchSize: Int
        init(modelContainer: ModelContainer, batchSize: Int) {}
      }
      """)
    #expect(result.messages == [])
    #expect(result.text.components(of: "init(") == 1)
  }

  @Test("Availability is carried to the extension")
  func availability() {
    let result = expandModel("@available(macOS 26, *) @ModelActor actor Importer {}")
    #expect(result.text.contains("@available(macOS 26, *)\nextension Importer"))
  }
}

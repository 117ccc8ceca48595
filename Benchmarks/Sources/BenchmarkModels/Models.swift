// Written by generate-models.

import Foundation
import SwiftData

public let allModels: [any PersistentModel.Type] = [
  Model000.self, Model001.self, Model002.self, Model003.self, Model004.self,
  Model005.self, Model006.self, Model007.self, Model008.self, Model009.self,
  Model010.self, Model011.self, Model012.self, Model013.self, Model014.self,
  Model015.self, Model016.self, Model017.self, Model018.self, Model019.self,
  Model020.self, Model021.self, Model022.self, Model023.self, Model024.self,
  Model025.self, Model026.self, Model027.self, Model028.self, Model029.self,
  Model030.self, Model031.self, Model032.self, Model033.self, Model034.self,
  Model035.self, Model036.self, Model037.self, Model038.self, Model039.self,
  Model040.self, Model041.self, Model042.self, Model043.self, Model044.self,
  Model045.self, Model046.self, Model047.self, Model048.self, Model049.self,
  Model050.self, Model051.self, Model052.self, Model053.self, Model054.self,
  Model055.self, Model056.self, Model057.self, Model058.self, Model059.self,
  Model060.self, Model061.self, Model062.self, Model063.self, Model064.self,
  Model065.self, Model066.self, Model067.self, Model068.self, Model069.self,
  Model070.self, Model071.self, Model072.self, Model073.self, Model074.self,
  Model075.self, Model076.self, Model077.self, Model078.self, Model079.self,
  Model080.self, Model081.self, Model082.self, Model083.self, Model084.self,
  Model085.self, Model086.self, Model087.self, Model088.self, Model089.self,
  Model090.self, Model091.self, Model092.self, Model093.self, Model094.self,
  Model095.self, Model096.self, Model097.self, Model098.self, Model099.self,
  Model100.self, Model101.self, Model102.self, Model103.self, Model104.self,
  Model105.self, Model106.self, Model107.self, Model108.self, Model109.self,
  Model110.self, Model111.self, Model112.self, Model113.self, Model114.self,
  Model115.self, Model116.self, Model117.self, Model118.self, Model119.self,
  Model120.self, Model121.self, Model122.self, Model123.self, Model124.self,
  Model125.self, Model126.self, Model127.self, Model128.self, Model129.self,
  Model130.self, Model131.self, Model132.self, Model133.self, Model134.self,
  Model135.self, Model136.self, Model137.self, Model138.self, Model139.self,
  Model140.self, Model141.self, Model142.self, Model143.self, Model144.self,
  Model145.self, Model146.self, Model147.self, Model148.self, Model149.self,
  Model150.self, Model151.self, Model152.self, Model153.self, Model154.self,
  Model155.self, Model156.self, Model157.self, Model158.self, Model159.self,
  Model160.self, Model161.self, Model162.self, Model163.self, Model164.self,
  Model165.self, Model166.self, Model167.self, Model168.self, Model169.self,
  Model170.self, Model171.self, Model172.self, Model173.self, Model174.self,
  Model175.self, Model176.self, Model177.self, Model178.self, Model179.self,
  Model180.self, Model181.self, Model182.self, Model183.self, Model184.self,
  Model185.self, Model186.self, Model187.self, Model188.self, Model189.self,
  Model190.self, Model191.self, Model192.self, Model193.self, Model194.self,
  Model195.self, Model196.self, Model197.self, Model198.self, Model199.self,
  Model200.self, Model201.self, Model202.self, Model203.self, Model204.self,
  Model205.self, Model206.self, Model207.self, Model208.self, Model209.self,
  Model210.self, Model211.self, Model212.self, Model213.self, Model214.self,
  Model215.self, Model216.self, Model217.self, Model218.self, Model219.self,
  Model220.self, Model221.self, Model222.self, Model223.self, Model224.self,
  Model225.self, Model226.self, Model227.self, Model228.self, Model229.self,
  Model230.self, Model231.self, Model232.self, Model233.self, Model234.self,
  Model235.self, Model236.self, Model237.self, Model238.self, Model239.self,
  Model240.self, Model241.self, Model242.self, Model243.self, Model244.self,
  Model245.self, Model246.self, Model247.self, Model248.self, Model249.self,
  Model250.self, Model251.self, Model252.self, Model253.self, Model254.self,
  Model255.self, Model256.self, Model257.self, Model258.self, Model259.self,
  Model260.self, Model261.self, Model262.self, Model263.self, Model264.self,
  Model265.self, Model266.self, Model267.self, Model268.self, Model269.self,
  Model270.self, Model271.self, Model272.self, Model273.self, Model274.self,
  Model275.self, Model276.self, Model277.self, Model278.self, Model279.self,
  Model280.self, Model281.self, Model282.self, Model283.self, Model284.self,
  Model285.self, Model286.self, Model287.self, Model288.self, Model289.self,
  Model290.self, Model291.self, Model292.self, Model293.self, Model294.self,
  Model295.self, Model296.self, Model297.self, Model298.self, Model299.self,
]

@Model
public final class Model000 {
  #Index<Model000>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model001?

  public init(number: Int) {
    self.number = number
    title = "Model000"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model001 {
  #Index<Model001>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model002?
  @Relationship(inverse: \Model000.next) public var members: [Model000] = []

  public init(number: Int) {
    self.number = number
    title = "Model001"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model002 {
  #Index<Model002>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model003?
  @Relationship(inverse: \Model001.next) public var members: [Model001] = []

  public init(number: Int) {
    self.number = number
    title = "Model002"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model003 {
  #Index<Model003>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model004?
  @Relationship(inverse: \Model002.next) public var members: [Model002] = []

  public init(number: Int) {
    self.number = number
    title = "Model003"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model004 {
  #Index<Model004>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model005?
  @Relationship(inverse: \Model003.next) public var members: [Model003] = []

  public init(number: Int) {
    self.number = number
    title = "Model004"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model005 {
  #Index<Model005>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model006?
  @Relationship(inverse: \Model004.next) public var members: [Model004] = []

  public init(number: Int) {
    self.number = number
    title = "Model005"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model006 {
  #Index<Model006>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model007?
  @Relationship(inverse: \Model005.next) public var members: [Model005] = []

  public init(number: Int) {
    self.number = number
    title = "Model006"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model007 {
  #Index<Model007>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model008?
  @Relationship(inverse: \Model006.next) public var members: [Model006] = []

  public init(number: Int) {
    self.number = number
    title = "Model007"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model008 {
  #Index<Model008>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model009?
  @Relationship(inverse: \Model007.next) public var members: [Model007] = []

  public init(number: Int) {
    self.number = number
    title = "Model008"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model009 {
  #Index<Model009>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  @Relationship(inverse: \Model008.next) public var members: [Model008] = []

  public init(number: Int) {
    self.number = number
    title = "Model009"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model010 {
  #Index<Model010>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model011?

  public init(number: Int) {
    self.number = number
    title = "Model010"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model011 {
  #Index<Model011>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model012?
  @Relationship(inverse: \Model010.next) public var members: [Model010] = []

  public init(number: Int) {
    self.number = number
    title = "Model011"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model012 {
  #Index<Model012>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model013?
  @Relationship(inverse: \Model011.next) public var members: [Model011] = []

  public init(number: Int) {
    self.number = number
    title = "Model012"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model013 {
  #Index<Model013>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model014?
  @Relationship(inverse: \Model012.next) public var members: [Model012] = []

  public init(number: Int) {
    self.number = number
    title = "Model013"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model014 {
  #Index<Model014>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model015?
  @Relationship(inverse: \Model013.next) public var members: [Model013] = []

  public init(number: Int) {
    self.number = number
    title = "Model014"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model015 {
  #Index<Model015>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model016?
  @Relationship(inverse: \Model014.next) public var members: [Model014] = []

  public init(number: Int) {
    self.number = number
    title = "Model015"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model016 {
  #Index<Model016>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model017?
  @Relationship(inverse: \Model015.next) public var members: [Model015] = []

  public init(number: Int) {
    self.number = number
    title = "Model016"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model017 {
  #Index<Model017>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model018?
  @Relationship(inverse: \Model016.next) public var members: [Model016] = []

  public init(number: Int) {
    self.number = number
    title = "Model017"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model018 {
  #Index<Model018>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model019?
  @Relationship(inverse: \Model017.next) public var members: [Model017] = []

  public init(number: Int) {
    self.number = number
    title = "Model018"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model019 {
  #Index<Model019>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  @Relationship(inverse: \Model018.next) public var members: [Model018] = []

  public init(number: Int) {
    self.number = number
    title = "Model019"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model020 {
  #Index<Model020>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model021?

  public init(number: Int) {
    self.number = number
    title = "Model020"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model021 {
  #Index<Model021>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model022?
  @Relationship(inverse: \Model020.next) public var members: [Model020] = []

  public init(number: Int) {
    self.number = number
    title = "Model021"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model022 {
  #Index<Model022>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model023?
  @Relationship(inverse: \Model021.next) public var members: [Model021] = []

  public init(number: Int) {
    self.number = number
    title = "Model022"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model023 {
  #Index<Model023>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model024?
  @Relationship(inverse: \Model022.next) public var members: [Model022] = []

  public init(number: Int) {
    self.number = number
    title = "Model023"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model024 {
  #Index<Model024>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model025?
  @Relationship(inverse: \Model023.next) public var members: [Model023] = []

  public init(number: Int) {
    self.number = number
    title = "Model024"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model025 {
  #Index<Model025>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model026?
  @Relationship(inverse: \Model024.next) public var members: [Model024] = []

  public init(number: Int) {
    self.number = number
    title = "Model025"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model026 {
  #Index<Model026>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model027?
  @Relationship(inverse: \Model025.next) public var members: [Model025] = []

  public init(number: Int) {
    self.number = number
    title = "Model026"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model027 {
  #Index<Model027>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model028?
  @Relationship(inverse: \Model026.next) public var members: [Model026] = []

  public init(number: Int) {
    self.number = number
    title = "Model027"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model028 {
  #Index<Model028>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model029?
  @Relationship(inverse: \Model027.next) public var members: [Model027] = []

  public init(number: Int) {
    self.number = number
    title = "Model028"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model029 {
  #Index<Model029>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  @Relationship(inverse: \Model028.next) public var members: [Model028] = []

  public init(number: Int) {
    self.number = number
    title = "Model029"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model030 {
  #Index<Model030>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model031?

  public init(number: Int) {
    self.number = number
    title = "Model030"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model031 {
  #Index<Model031>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model032?
  @Relationship(inverse: \Model030.next) public var members: [Model030] = []

  public init(number: Int) {
    self.number = number
    title = "Model031"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model032 {
  #Index<Model032>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model033?
  @Relationship(inverse: \Model031.next) public var members: [Model031] = []

  public init(number: Int) {
    self.number = number
    title = "Model032"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model033 {
  #Index<Model033>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model034?
  @Relationship(inverse: \Model032.next) public var members: [Model032] = []

  public init(number: Int) {
    self.number = number
    title = "Model033"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model034 {
  #Index<Model034>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model035?
  @Relationship(inverse: \Model033.next) public var members: [Model033] = []

  public init(number: Int) {
    self.number = number
    title = "Model034"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model035 {
  #Index<Model035>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model036?
  @Relationship(inverse: \Model034.next) public var members: [Model034] = []

  public init(number: Int) {
    self.number = number
    title = "Model035"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model036 {
  #Index<Model036>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model037?
  @Relationship(inverse: \Model035.next) public var members: [Model035] = []

  public init(number: Int) {
    self.number = number
    title = "Model036"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model037 {
  #Index<Model037>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model038?
  @Relationship(inverse: \Model036.next) public var members: [Model036] = []

  public init(number: Int) {
    self.number = number
    title = "Model037"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model038 {
  #Index<Model038>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model039?
  @Relationship(inverse: \Model037.next) public var members: [Model037] = []

  public init(number: Int) {
    self.number = number
    title = "Model038"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model039 {
  #Index<Model039>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  @Relationship(inverse: \Model038.next) public var members: [Model038] = []

  public init(number: Int) {
    self.number = number
    title = "Model039"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model040 {
  #Index<Model040>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model041?

  public init(number: Int) {
    self.number = number
    title = "Model040"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model041 {
  #Index<Model041>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model042?
  @Relationship(inverse: \Model040.next) public var members: [Model040] = []

  public init(number: Int) {
    self.number = number
    title = "Model041"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model042 {
  #Index<Model042>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model043?
  @Relationship(inverse: \Model041.next) public var members: [Model041] = []

  public init(number: Int) {
    self.number = number
    title = "Model042"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model043 {
  #Index<Model043>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model044?
  @Relationship(inverse: \Model042.next) public var members: [Model042] = []

  public init(number: Int) {
    self.number = number
    title = "Model043"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model044 {
  #Index<Model044>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model045?
  @Relationship(inverse: \Model043.next) public var members: [Model043] = []

  public init(number: Int) {
    self.number = number
    title = "Model044"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model045 {
  #Index<Model045>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model046?
  @Relationship(inverse: \Model044.next) public var members: [Model044] = []

  public init(number: Int) {
    self.number = number
    title = "Model045"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model046 {
  #Index<Model046>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model047?
  @Relationship(inverse: \Model045.next) public var members: [Model045] = []

  public init(number: Int) {
    self.number = number
    title = "Model046"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model047 {
  #Index<Model047>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model048?
  @Relationship(inverse: \Model046.next) public var members: [Model046] = []

  public init(number: Int) {
    self.number = number
    title = "Model047"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model048 {
  #Index<Model048>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model049?
  @Relationship(inverse: \Model047.next) public var members: [Model047] = []

  public init(number: Int) {
    self.number = number
    title = "Model048"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model049 {
  #Index<Model049>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  @Relationship(inverse: \Model048.next) public var members: [Model048] = []

  public init(number: Int) {
    self.number = number
    title = "Model049"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model050 {
  #Index<Model050>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model051?

  public init(number: Int) {
    self.number = number
    title = "Model050"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model051 {
  #Index<Model051>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model052?
  @Relationship(inverse: \Model050.next) public var members: [Model050] = []

  public init(number: Int) {
    self.number = number
    title = "Model051"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model052 {
  #Index<Model052>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model053?
  @Relationship(inverse: \Model051.next) public var members: [Model051] = []

  public init(number: Int) {
    self.number = number
    title = "Model052"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model053 {
  #Index<Model053>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model054?
  @Relationship(inverse: \Model052.next) public var members: [Model052] = []

  public init(number: Int) {
    self.number = number
    title = "Model053"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model054 {
  #Index<Model054>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model055?
  @Relationship(inverse: \Model053.next) public var members: [Model053] = []

  public init(number: Int) {
    self.number = number
    title = "Model054"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model055 {
  #Index<Model055>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model056?
  @Relationship(inverse: \Model054.next) public var members: [Model054] = []

  public init(number: Int) {
    self.number = number
    title = "Model055"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model056 {
  #Index<Model056>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model057?
  @Relationship(inverse: \Model055.next) public var members: [Model055] = []

  public init(number: Int) {
    self.number = number
    title = "Model056"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model057 {
  #Index<Model057>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model058?
  @Relationship(inverse: \Model056.next) public var members: [Model056] = []

  public init(number: Int) {
    self.number = number
    title = "Model057"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model058 {
  #Index<Model058>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model059?
  @Relationship(inverse: \Model057.next) public var members: [Model057] = []

  public init(number: Int) {
    self.number = number
    title = "Model058"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model059 {
  #Index<Model059>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  @Relationship(inverse: \Model058.next) public var members: [Model058] = []

  public init(number: Int) {
    self.number = number
    title = "Model059"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model060 {
  #Index<Model060>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model061?

  public init(number: Int) {
    self.number = number
    title = "Model060"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model061 {
  #Index<Model061>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model062?
  @Relationship(inverse: \Model060.next) public var members: [Model060] = []

  public init(number: Int) {
    self.number = number
    title = "Model061"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model062 {
  #Index<Model062>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model063?
  @Relationship(inverse: \Model061.next) public var members: [Model061] = []

  public init(number: Int) {
    self.number = number
    title = "Model062"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model063 {
  #Index<Model063>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model064?
  @Relationship(inverse: \Model062.next) public var members: [Model062] = []

  public init(number: Int) {
    self.number = number
    title = "Model063"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model064 {
  #Index<Model064>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model065?
  @Relationship(inverse: \Model063.next) public var members: [Model063] = []

  public init(number: Int) {
    self.number = number
    title = "Model064"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model065 {
  #Index<Model065>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model066?
  @Relationship(inverse: \Model064.next) public var members: [Model064] = []

  public init(number: Int) {
    self.number = number
    title = "Model065"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model066 {
  #Index<Model066>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model067?
  @Relationship(inverse: \Model065.next) public var members: [Model065] = []

  public init(number: Int) {
    self.number = number
    title = "Model066"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model067 {
  #Index<Model067>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model068?
  @Relationship(inverse: \Model066.next) public var members: [Model066] = []

  public init(number: Int) {
    self.number = number
    title = "Model067"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model068 {
  #Index<Model068>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model069?
  @Relationship(inverse: \Model067.next) public var members: [Model067] = []

  public init(number: Int) {
    self.number = number
    title = "Model068"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model069 {
  #Index<Model069>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  @Relationship(inverse: \Model068.next) public var members: [Model068] = []

  public init(number: Int) {
    self.number = number
    title = "Model069"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model070 {
  #Index<Model070>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model071?

  public init(number: Int) {
    self.number = number
    title = "Model070"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model071 {
  #Index<Model071>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model072?
  @Relationship(inverse: \Model070.next) public var members: [Model070] = []

  public init(number: Int) {
    self.number = number
    title = "Model071"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model072 {
  #Index<Model072>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model073?
  @Relationship(inverse: \Model071.next) public var members: [Model071] = []

  public init(number: Int) {
    self.number = number
    title = "Model072"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model073 {
  #Index<Model073>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model074?
  @Relationship(inverse: \Model072.next) public var members: [Model072] = []

  public init(number: Int) {
    self.number = number
    title = "Model073"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model074 {
  #Index<Model074>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model075?
  @Relationship(inverse: \Model073.next) public var members: [Model073] = []

  public init(number: Int) {
    self.number = number
    title = "Model074"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model075 {
  #Index<Model075>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model076?
  @Relationship(inverse: \Model074.next) public var members: [Model074] = []

  public init(number: Int) {
    self.number = number
    title = "Model075"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model076 {
  #Index<Model076>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model077?
  @Relationship(inverse: \Model075.next) public var members: [Model075] = []

  public init(number: Int) {
    self.number = number
    title = "Model076"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model077 {
  #Index<Model077>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model078?
  @Relationship(inverse: \Model076.next) public var members: [Model076] = []

  public init(number: Int) {
    self.number = number
    title = "Model077"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model078 {
  #Index<Model078>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model079?
  @Relationship(inverse: \Model077.next) public var members: [Model077] = []

  public init(number: Int) {
    self.number = number
    title = "Model078"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model079 {
  #Index<Model079>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  @Relationship(inverse: \Model078.next) public var members: [Model078] = []

  public init(number: Int) {
    self.number = number
    title = "Model079"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model080 {
  #Index<Model080>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model081?

  public init(number: Int) {
    self.number = number
    title = "Model080"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model081 {
  #Index<Model081>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model082?
  @Relationship(inverse: \Model080.next) public var members: [Model080] = []

  public init(number: Int) {
    self.number = number
    title = "Model081"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model082 {
  #Index<Model082>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model083?
  @Relationship(inverse: \Model081.next) public var members: [Model081] = []

  public init(number: Int) {
    self.number = number
    title = "Model082"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model083 {
  #Index<Model083>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model084?
  @Relationship(inverse: \Model082.next) public var members: [Model082] = []

  public init(number: Int) {
    self.number = number
    title = "Model083"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model084 {
  #Index<Model084>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model085?
  @Relationship(inverse: \Model083.next) public var members: [Model083] = []

  public init(number: Int) {
    self.number = number
    title = "Model084"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model085 {
  #Index<Model085>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model086?
  @Relationship(inverse: \Model084.next) public var members: [Model084] = []

  public init(number: Int) {
    self.number = number
    title = "Model085"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model086 {
  #Index<Model086>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model087?
  @Relationship(inverse: \Model085.next) public var members: [Model085] = []

  public init(number: Int) {
    self.number = number
    title = "Model086"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model087 {
  #Index<Model087>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model088?
  @Relationship(inverse: \Model086.next) public var members: [Model086] = []

  public init(number: Int) {
    self.number = number
    title = "Model087"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model088 {
  #Index<Model088>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model089?
  @Relationship(inverse: \Model087.next) public var members: [Model087] = []

  public init(number: Int) {
    self.number = number
    title = "Model088"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model089 {
  #Index<Model089>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  @Relationship(inverse: \Model088.next) public var members: [Model088] = []

  public init(number: Int) {
    self.number = number
    title = "Model089"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model090 {
  #Index<Model090>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model091?

  public init(number: Int) {
    self.number = number
    title = "Model090"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model091 {
  #Index<Model091>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model092?
  @Relationship(inverse: \Model090.next) public var members: [Model090] = []

  public init(number: Int) {
    self.number = number
    title = "Model091"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model092 {
  #Index<Model092>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model093?
  @Relationship(inverse: \Model091.next) public var members: [Model091] = []

  public init(number: Int) {
    self.number = number
    title = "Model092"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model093 {
  #Index<Model093>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model094?
  @Relationship(inverse: \Model092.next) public var members: [Model092] = []

  public init(number: Int) {
    self.number = number
    title = "Model093"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model094 {
  #Index<Model094>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model095?
  @Relationship(inverse: \Model093.next) public var members: [Model093] = []

  public init(number: Int) {
    self.number = number
    title = "Model094"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model095 {
  #Index<Model095>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model096?
  @Relationship(inverse: \Model094.next) public var members: [Model094] = []

  public init(number: Int) {
    self.number = number
    title = "Model095"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model096 {
  #Index<Model096>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model097?
  @Relationship(inverse: \Model095.next) public var members: [Model095] = []

  public init(number: Int) {
    self.number = number
    title = "Model096"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model097 {
  #Index<Model097>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model098?
  @Relationship(inverse: \Model096.next) public var members: [Model096] = []

  public init(number: Int) {
    self.number = number
    title = "Model097"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model098 {
  #Index<Model098>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model099?
  @Relationship(inverse: \Model097.next) public var members: [Model097] = []

  public init(number: Int) {
    self.number = number
    title = "Model098"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model099 {
  #Index<Model099>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  @Relationship(inverse: \Model098.next) public var members: [Model098] = []

  public init(number: Int) {
    self.number = number
    title = "Model099"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model100 {
  #Index<Model100>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model101?

  public init(number: Int) {
    self.number = number
    title = "Model100"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model101 {
  #Index<Model101>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model102?
  @Relationship(inverse: \Model100.next) public var members: [Model100] = []

  public init(number: Int) {
    self.number = number
    title = "Model101"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model102 {
  #Index<Model102>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model103?
  @Relationship(inverse: \Model101.next) public var members: [Model101] = []

  public init(number: Int) {
    self.number = number
    title = "Model102"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model103 {
  #Index<Model103>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model104?
  @Relationship(inverse: \Model102.next) public var members: [Model102] = []

  public init(number: Int) {
    self.number = number
    title = "Model103"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model104 {
  #Index<Model104>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model105?
  @Relationship(inverse: \Model103.next) public var members: [Model103] = []

  public init(number: Int) {
    self.number = number
    title = "Model104"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model105 {
  #Index<Model105>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model106?
  @Relationship(inverse: \Model104.next) public var members: [Model104] = []

  public init(number: Int) {
    self.number = number
    title = "Model105"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model106 {
  #Index<Model106>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model107?
  @Relationship(inverse: \Model105.next) public var members: [Model105] = []

  public init(number: Int) {
    self.number = number
    title = "Model106"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model107 {
  #Index<Model107>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model108?
  @Relationship(inverse: \Model106.next) public var members: [Model106] = []

  public init(number: Int) {
    self.number = number
    title = "Model107"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model108 {
  #Index<Model108>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model109?
  @Relationship(inverse: \Model107.next) public var members: [Model107] = []

  public init(number: Int) {
    self.number = number
    title = "Model108"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model109 {
  #Index<Model109>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  @Relationship(inverse: \Model108.next) public var members: [Model108] = []

  public init(number: Int) {
    self.number = number
    title = "Model109"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model110 {
  #Index<Model110>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model111?

  public init(number: Int) {
    self.number = number
    title = "Model110"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model111 {
  #Index<Model111>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model112?
  @Relationship(inverse: \Model110.next) public var members: [Model110] = []

  public init(number: Int) {
    self.number = number
    title = "Model111"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model112 {
  #Index<Model112>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model113?
  @Relationship(inverse: \Model111.next) public var members: [Model111] = []

  public init(number: Int) {
    self.number = number
    title = "Model112"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model113 {
  #Index<Model113>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model114?
  @Relationship(inverse: \Model112.next) public var members: [Model112] = []

  public init(number: Int) {
    self.number = number
    title = "Model113"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model114 {
  #Index<Model114>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model115?
  @Relationship(inverse: \Model113.next) public var members: [Model113] = []

  public init(number: Int) {
    self.number = number
    title = "Model114"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model115 {
  #Index<Model115>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model116?
  @Relationship(inverse: \Model114.next) public var members: [Model114] = []

  public init(number: Int) {
    self.number = number
    title = "Model115"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model116 {
  #Index<Model116>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model117?
  @Relationship(inverse: \Model115.next) public var members: [Model115] = []

  public init(number: Int) {
    self.number = number
    title = "Model116"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model117 {
  #Index<Model117>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model118?
  @Relationship(inverse: \Model116.next) public var members: [Model116] = []

  public init(number: Int) {
    self.number = number
    title = "Model117"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model118 {
  #Index<Model118>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model119?
  @Relationship(inverse: \Model117.next) public var members: [Model117] = []

  public init(number: Int) {
    self.number = number
    title = "Model118"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model119 {
  #Index<Model119>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  @Relationship(inverse: \Model118.next) public var members: [Model118] = []

  public init(number: Int) {
    self.number = number
    title = "Model119"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model120 {
  #Index<Model120>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model121?

  public init(number: Int) {
    self.number = number
    title = "Model120"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model121 {
  #Index<Model121>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model122?
  @Relationship(inverse: \Model120.next) public var members: [Model120] = []

  public init(number: Int) {
    self.number = number
    title = "Model121"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model122 {
  #Index<Model122>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model123?
  @Relationship(inverse: \Model121.next) public var members: [Model121] = []

  public init(number: Int) {
    self.number = number
    title = "Model122"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model123 {
  #Index<Model123>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model124?
  @Relationship(inverse: \Model122.next) public var members: [Model122] = []

  public init(number: Int) {
    self.number = number
    title = "Model123"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model124 {
  #Index<Model124>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model125?
  @Relationship(inverse: \Model123.next) public var members: [Model123] = []

  public init(number: Int) {
    self.number = number
    title = "Model124"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model125 {
  #Index<Model125>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model126?
  @Relationship(inverse: \Model124.next) public var members: [Model124] = []

  public init(number: Int) {
    self.number = number
    title = "Model125"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model126 {
  #Index<Model126>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model127?
  @Relationship(inverse: \Model125.next) public var members: [Model125] = []

  public init(number: Int) {
    self.number = number
    title = "Model126"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model127 {
  #Index<Model127>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model128?
  @Relationship(inverse: \Model126.next) public var members: [Model126] = []

  public init(number: Int) {
    self.number = number
    title = "Model127"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model128 {
  #Index<Model128>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model129?
  @Relationship(inverse: \Model127.next) public var members: [Model127] = []

  public init(number: Int) {
    self.number = number
    title = "Model128"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model129 {
  #Index<Model129>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  @Relationship(inverse: \Model128.next) public var members: [Model128] = []

  public init(number: Int) {
    self.number = number
    title = "Model129"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model130 {
  #Index<Model130>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model131?

  public init(number: Int) {
    self.number = number
    title = "Model130"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model131 {
  #Index<Model131>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model132?
  @Relationship(inverse: \Model130.next) public var members: [Model130] = []

  public init(number: Int) {
    self.number = number
    title = "Model131"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model132 {
  #Index<Model132>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model133?
  @Relationship(inverse: \Model131.next) public var members: [Model131] = []

  public init(number: Int) {
    self.number = number
    title = "Model132"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model133 {
  #Index<Model133>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model134?
  @Relationship(inverse: \Model132.next) public var members: [Model132] = []

  public init(number: Int) {
    self.number = number
    title = "Model133"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model134 {
  #Index<Model134>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model135?
  @Relationship(inverse: \Model133.next) public var members: [Model133] = []

  public init(number: Int) {
    self.number = number
    title = "Model134"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model135 {
  #Index<Model135>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model136?
  @Relationship(inverse: \Model134.next) public var members: [Model134] = []

  public init(number: Int) {
    self.number = number
    title = "Model135"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model136 {
  #Index<Model136>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model137?
  @Relationship(inverse: \Model135.next) public var members: [Model135] = []

  public init(number: Int) {
    self.number = number
    title = "Model136"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model137 {
  #Index<Model137>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model138?
  @Relationship(inverse: \Model136.next) public var members: [Model136] = []

  public init(number: Int) {
    self.number = number
    title = "Model137"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model138 {
  #Index<Model138>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model139?
  @Relationship(inverse: \Model137.next) public var members: [Model137] = []

  public init(number: Int) {
    self.number = number
    title = "Model138"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model139 {
  #Index<Model139>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  @Relationship(inverse: \Model138.next) public var members: [Model138] = []

  public init(number: Int) {
    self.number = number
    title = "Model139"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model140 {
  #Index<Model140>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model141?

  public init(number: Int) {
    self.number = number
    title = "Model140"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model141 {
  #Index<Model141>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model142?
  @Relationship(inverse: \Model140.next) public var members: [Model140] = []

  public init(number: Int) {
    self.number = number
    title = "Model141"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model142 {
  #Index<Model142>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model143?
  @Relationship(inverse: \Model141.next) public var members: [Model141] = []

  public init(number: Int) {
    self.number = number
    title = "Model142"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model143 {
  #Index<Model143>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model144?
  @Relationship(inverse: \Model142.next) public var members: [Model142] = []

  public init(number: Int) {
    self.number = number
    title = "Model143"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model144 {
  #Index<Model144>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model145?
  @Relationship(inverse: \Model143.next) public var members: [Model143] = []

  public init(number: Int) {
    self.number = number
    title = "Model144"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model145 {
  #Index<Model145>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model146?
  @Relationship(inverse: \Model144.next) public var members: [Model144] = []

  public init(number: Int) {
    self.number = number
    title = "Model145"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model146 {
  #Index<Model146>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model147?
  @Relationship(inverse: \Model145.next) public var members: [Model145] = []

  public init(number: Int) {
    self.number = number
    title = "Model146"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model147 {
  #Index<Model147>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model148?
  @Relationship(inverse: \Model146.next) public var members: [Model146] = []

  public init(number: Int) {
    self.number = number
    title = "Model147"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model148 {
  #Index<Model148>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model149?
  @Relationship(inverse: \Model147.next) public var members: [Model147] = []

  public init(number: Int) {
    self.number = number
    title = "Model148"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model149 {
  #Index<Model149>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  @Relationship(inverse: \Model148.next) public var members: [Model148] = []

  public init(number: Int) {
    self.number = number
    title = "Model149"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model150 {
  #Index<Model150>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model151?

  public init(number: Int) {
    self.number = number
    title = "Model150"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model151 {
  #Index<Model151>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model152?
  @Relationship(inverse: \Model150.next) public var members: [Model150] = []

  public init(number: Int) {
    self.number = number
    title = "Model151"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model152 {
  #Index<Model152>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model153?
  @Relationship(inverse: \Model151.next) public var members: [Model151] = []

  public init(number: Int) {
    self.number = number
    title = "Model152"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model153 {
  #Index<Model153>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model154?
  @Relationship(inverse: \Model152.next) public var members: [Model152] = []

  public init(number: Int) {
    self.number = number
    title = "Model153"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model154 {
  #Index<Model154>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model155?
  @Relationship(inverse: \Model153.next) public var members: [Model153] = []

  public init(number: Int) {
    self.number = number
    title = "Model154"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model155 {
  #Index<Model155>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model156?
  @Relationship(inverse: \Model154.next) public var members: [Model154] = []

  public init(number: Int) {
    self.number = number
    title = "Model155"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model156 {
  #Index<Model156>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model157?
  @Relationship(inverse: \Model155.next) public var members: [Model155] = []

  public init(number: Int) {
    self.number = number
    title = "Model156"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model157 {
  #Index<Model157>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model158?
  @Relationship(inverse: \Model156.next) public var members: [Model156] = []

  public init(number: Int) {
    self.number = number
    title = "Model157"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model158 {
  #Index<Model158>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model159?
  @Relationship(inverse: \Model157.next) public var members: [Model157] = []

  public init(number: Int) {
    self.number = number
    title = "Model158"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model159 {
  #Index<Model159>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  @Relationship(inverse: \Model158.next) public var members: [Model158] = []

  public init(number: Int) {
    self.number = number
    title = "Model159"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model160 {
  #Index<Model160>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model161?

  public init(number: Int) {
    self.number = number
    title = "Model160"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model161 {
  #Index<Model161>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model162?
  @Relationship(inverse: \Model160.next) public var members: [Model160] = []

  public init(number: Int) {
    self.number = number
    title = "Model161"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model162 {
  #Index<Model162>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model163?
  @Relationship(inverse: \Model161.next) public var members: [Model161] = []

  public init(number: Int) {
    self.number = number
    title = "Model162"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model163 {
  #Index<Model163>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model164?
  @Relationship(inverse: \Model162.next) public var members: [Model162] = []

  public init(number: Int) {
    self.number = number
    title = "Model163"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model164 {
  #Index<Model164>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model165?
  @Relationship(inverse: \Model163.next) public var members: [Model163] = []

  public init(number: Int) {
    self.number = number
    title = "Model164"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model165 {
  #Index<Model165>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model166?
  @Relationship(inverse: \Model164.next) public var members: [Model164] = []

  public init(number: Int) {
    self.number = number
    title = "Model165"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model166 {
  #Index<Model166>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model167?
  @Relationship(inverse: \Model165.next) public var members: [Model165] = []

  public init(number: Int) {
    self.number = number
    title = "Model166"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model167 {
  #Index<Model167>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model168?
  @Relationship(inverse: \Model166.next) public var members: [Model166] = []

  public init(number: Int) {
    self.number = number
    title = "Model167"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model168 {
  #Index<Model168>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model169?
  @Relationship(inverse: \Model167.next) public var members: [Model167] = []

  public init(number: Int) {
    self.number = number
    title = "Model168"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model169 {
  #Index<Model169>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  @Relationship(inverse: \Model168.next) public var members: [Model168] = []

  public init(number: Int) {
    self.number = number
    title = "Model169"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model170 {
  #Index<Model170>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model171?

  public init(number: Int) {
    self.number = number
    title = "Model170"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model171 {
  #Index<Model171>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model172?
  @Relationship(inverse: \Model170.next) public var members: [Model170] = []

  public init(number: Int) {
    self.number = number
    title = "Model171"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model172 {
  #Index<Model172>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model173?
  @Relationship(inverse: \Model171.next) public var members: [Model171] = []

  public init(number: Int) {
    self.number = number
    title = "Model172"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model173 {
  #Index<Model173>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model174?
  @Relationship(inverse: \Model172.next) public var members: [Model172] = []

  public init(number: Int) {
    self.number = number
    title = "Model173"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model174 {
  #Index<Model174>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model175?
  @Relationship(inverse: \Model173.next) public var members: [Model173] = []

  public init(number: Int) {
    self.number = number
    title = "Model174"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model175 {
  #Index<Model175>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model176?
  @Relationship(inverse: \Model174.next) public var members: [Model174] = []

  public init(number: Int) {
    self.number = number
    title = "Model175"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model176 {
  #Index<Model176>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model177?
  @Relationship(inverse: \Model175.next) public var members: [Model175] = []

  public init(number: Int) {
    self.number = number
    title = "Model176"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model177 {
  #Index<Model177>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model178?
  @Relationship(inverse: \Model176.next) public var members: [Model176] = []

  public init(number: Int) {
    self.number = number
    title = "Model177"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model178 {
  #Index<Model178>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model179?
  @Relationship(inverse: \Model177.next) public var members: [Model177] = []

  public init(number: Int) {
    self.number = number
    title = "Model178"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model179 {
  #Index<Model179>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  @Relationship(inverse: \Model178.next) public var members: [Model178] = []

  public init(number: Int) {
    self.number = number
    title = "Model179"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model180 {
  #Index<Model180>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model181?

  public init(number: Int) {
    self.number = number
    title = "Model180"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model181 {
  #Index<Model181>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model182?
  @Relationship(inverse: \Model180.next) public var members: [Model180] = []

  public init(number: Int) {
    self.number = number
    title = "Model181"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model182 {
  #Index<Model182>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model183?
  @Relationship(inverse: \Model181.next) public var members: [Model181] = []

  public init(number: Int) {
    self.number = number
    title = "Model182"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model183 {
  #Index<Model183>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model184?
  @Relationship(inverse: \Model182.next) public var members: [Model182] = []

  public init(number: Int) {
    self.number = number
    title = "Model183"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model184 {
  #Index<Model184>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model185?
  @Relationship(inverse: \Model183.next) public var members: [Model183] = []

  public init(number: Int) {
    self.number = number
    title = "Model184"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model185 {
  #Index<Model185>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model186?
  @Relationship(inverse: \Model184.next) public var members: [Model184] = []

  public init(number: Int) {
    self.number = number
    title = "Model185"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model186 {
  #Index<Model186>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model187?
  @Relationship(inverse: \Model185.next) public var members: [Model185] = []

  public init(number: Int) {
    self.number = number
    title = "Model186"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model187 {
  #Index<Model187>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model188?
  @Relationship(inverse: \Model186.next) public var members: [Model186] = []

  public init(number: Int) {
    self.number = number
    title = "Model187"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model188 {
  #Index<Model188>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model189?
  @Relationship(inverse: \Model187.next) public var members: [Model187] = []

  public init(number: Int) {
    self.number = number
    title = "Model188"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model189 {
  #Index<Model189>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  @Relationship(inverse: \Model188.next) public var members: [Model188] = []

  public init(number: Int) {
    self.number = number
    title = "Model189"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model190 {
  #Index<Model190>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model191?

  public init(number: Int) {
    self.number = number
    title = "Model190"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model191 {
  #Index<Model191>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model192?
  @Relationship(inverse: \Model190.next) public var members: [Model190] = []

  public init(number: Int) {
    self.number = number
    title = "Model191"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model192 {
  #Index<Model192>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model193?
  @Relationship(inverse: \Model191.next) public var members: [Model191] = []

  public init(number: Int) {
    self.number = number
    title = "Model192"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model193 {
  #Index<Model193>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model194?
  @Relationship(inverse: \Model192.next) public var members: [Model192] = []

  public init(number: Int) {
    self.number = number
    title = "Model193"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model194 {
  #Index<Model194>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model195?
  @Relationship(inverse: \Model193.next) public var members: [Model193] = []

  public init(number: Int) {
    self.number = number
    title = "Model194"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model195 {
  #Index<Model195>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model196?
  @Relationship(inverse: \Model194.next) public var members: [Model194] = []

  public init(number: Int) {
    self.number = number
    title = "Model195"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model196 {
  #Index<Model196>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model197?
  @Relationship(inverse: \Model195.next) public var members: [Model195] = []

  public init(number: Int) {
    self.number = number
    title = "Model196"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model197 {
  #Index<Model197>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model198?
  @Relationship(inverse: \Model196.next) public var members: [Model196] = []

  public init(number: Int) {
    self.number = number
    title = "Model197"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model198 {
  #Index<Model198>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model199?
  @Relationship(inverse: \Model197.next) public var members: [Model197] = []

  public init(number: Int) {
    self.number = number
    title = "Model198"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model199 {
  #Index<Model199>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  @Relationship(inverse: \Model198.next) public var members: [Model198] = []

  public init(number: Int) {
    self.number = number
    title = "Model199"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model200 {
  #Index<Model200>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model201?

  public init(number: Int) {
    self.number = number
    title = "Model200"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model201 {
  #Index<Model201>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model202?
  @Relationship(inverse: \Model200.next) public var members: [Model200] = []

  public init(number: Int) {
    self.number = number
    title = "Model201"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model202 {
  #Index<Model202>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model203?
  @Relationship(inverse: \Model201.next) public var members: [Model201] = []

  public init(number: Int) {
    self.number = number
    title = "Model202"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model203 {
  #Index<Model203>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model204?
  @Relationship(inverse: \Model202.next) public var members: [Model202] = []

  public init(number: Int) {
    self.number = number
    title = "Model203"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model204 {
  #Index<Model204>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model205?
  @Relationship(inverse: \Model203.next) public var members: [Model203] = []

  public init(number: Int) {
    self.number = number
    title = "Model204"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model205 {
  #Index<Model205>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model206?
  @Relationship(inverse: \Model204.next) public var members: [Model204] = []

  public init(number: Int) {
    self.number = number
    title = "Model205"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model206 {
  #Index<Model206>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model207?
  @Relationship(inverse: \Model205.next) public var members: [Model205] = []

  public init(number: Int) {
    self.number = number
    title = "Model206"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model207 {
  #Index<Model207>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model208?
  @Relationship(inverse: \Model206.next) public var members: [Model206] = []

  public init(number: Int) {
    self.number = number
    title = "Model207"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model208 {
  #Index<Model208>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model209?
  @Relationship(inverse: \Model207.next) public var members: [Model207] = []

  public init(number: Int) {
    self.number = number
    title = "Model208"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model209 {
  #Index<Model209>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  @Relationship(inverse: \Model208.next) public var members: [Model208] = []

  public init(number: Int) {
    self.number = number
    title = "Model209"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model210 {
  #Index<Model210>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model211?

  public init(number: Int) {
    self.number = number
    title = "Model210"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model211 {
  #Index<Model211>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model212?
  @Relationship(inverse: \Model210.next) public var members: [Model210] = []

  public init(number: Int) {
    self.number = number
    title = "Model211"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model212 {
  #Index<Model212>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model213?
  @Relationship(inverse: \Model211.next) public var members: [Model211] = []

  public init(number: Int) {
    self.number = number
    title = "Model212"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model213 {
  #Index<Model213>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model214?
  @Relationship(inverse: \Model212.next) public var members: [Model212] = []

  public init(number: Int) {
    self.number = number
    title = "Model213"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model214 {
  #Index<Model214>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model215?
  @Relationship(inverse: \Model213.next) public var members: [Model213] = []

  public init(number: Int) {
    self.number = number
    title = "Model214"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model215 {
  #Index<Model215>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model216?
  @Relationship(inverse: \Model214.next) public var members: [Model214] = []

  public init(number: Int) {
    self.number = number
    title = "Model215"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model216 {
  #Index<Model216>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model217?
  @Relationship(inverse: \Model215.next) public var members: [Model215] = []

  public init(number: Int) {
    self.number = number
    title = "Model216"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model217 {
  #Index<Model217>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model218?
  @Relationship(inverse: \Model216.next) public var members: [Model216] = []

  public init(number: Int) {
    self.number = number
    title = "Model217"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model218 {
  #Index<Model218>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model219?
  @Relationship(inverse: \Model217.next) public var members: [Model217] = []

  public init(number: Int) {
    self.number = number
    title = "Model218"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model219 {
  #Index<Model219>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  @Relationship(inverse: \Model218.next) public var members: [Model218] = []

  public init(number: Int) {
    self.number = number
    title = "Model219"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model220 {
  #Index<Model220>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model221?

  public init(number: Int) {
    self.number = number
    title = "Model220"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model221 {
  #Index<Model221>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model222?
  @Relationship(inverse: \Model220.next) public var members: [Model220] = []

  public init(number: Int) {
    self.number = number
    title = "Model221"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model222 {
  #Index<Model222>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model223?
  @Relationship(inverse: \Model221.next) public var members: [Model221] = []

  public init(number: Int) {
    self.number = number
    title = "Model222"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model223 {
  #Index<Model223>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model224?
  @Relationship(inverse: \Model222.next) public var members: [Model222] = []

  public init(number: Int) {
    self.number = number
    title = "Model223"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model224 {
  #Index<Model224>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model225?
  @Relationship(inverse: \Model223.next) public var members: [Model223] = []

  public init(number: Int) {
    self.number = number
    title = "Model224"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model225 {
  #Index<Model225>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model226?
  @Relationship(inverse: \Model224.next) public var members: [Model224] = []

  public init(number: Int) {
    self.number = number
    title = "Model225"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model226 {
  #Index<Model226>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model227?
  @Relationship(inverse: \Model225.next) public var members: [Model225] = []

  public init(number: Int) {
    self.number = number
    title = "Model226"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model227 {
  #Index<Model227>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model228?
  @Relationship(inverse: \Model226.next) public var members: [Model226] = []

  public init(number: Int) {
    self.number = number
    title = "Model227"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model228 {
  #Index<Model228>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model229?
  @Relationship(inverse: \Model227.next) public var members: [Model227] = []

  public init(number: Int) {
    self.number = number
    title = "Model228"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model229 {
  #Index<Model229>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  @Relationship(inverse: \Model228.next) public var members: [Model228] = []

  public init(number: Int) {
    self.number = number
    title = "Model229"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model230 {
  #Index<Model230>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model231?

  public init(number: Int) {
    self.number = number
    title = "Model230"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model231 {
  #Index<Model231>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model232?
  @Relationship(inverse: \Model230.next) public var members: [Model230] = []

  public init(number: Int) {
    self.number = number
    title = "Model231"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model232 {
  #Index<Model232>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model233?
  @Relationship(inverse: \Model231.next) public var members: [Model231] = []

  public init(number: Int) {
    self.number = number
    title = "Model232"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model233 {
  #Index<Model233>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model234?
  @Relationship(inverse: \Model232.next) public var members: [Model232] = []

  public init(number: Int) {
    self.number = number
    title = "Model233"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model234 {
  #Index<Model234>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model235?
  @Relationship(inverse: \Model233.next) public var members: [Model233] = []

  public init(number: Int) {
    self.number = number
    title = "Model234"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model235 {
  #Index<Model235>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model236?
  @Relationship(inverse: \Model234.next) public var members: [Model234] = []

  public init(number: Int) {
    self.number = number
    title = "Model235"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model236 {
  #Index<Model236>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model237?
  @Relationship(inverse: \Model235.next) public var members: [Model235] = []

  public init(number: Int) {
    self.number = number
    title = "Model236"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model237 {
  #Index<Model237>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model238?
  @Relationship(inverse: \Model236.next) public var members: [Model236] = []

  public init(number: Int) {
    self.number = number
    title = "Model237"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model238 {
  #Index<Model238>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model239?
  @Relationship(inverse: \Model237.next) public var members: [Model237] = []

  public init(number: Int) {
    self.number = number
    title = "Model238"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model239 {
  #Index<Model239>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  @Relationship(inverse: \Model238.next) public var members: [Model238] = []

  public init(number: Int) {
    self.number = number
    title = "Model239"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model240 {
  #Index<Model240>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model241?

  public init(number: Int) {
    self.number = number
    title = "Model240"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model241 {
  #Index<Model241>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model242?
  @Relationship(inverse: \Model240.next) public var members: [Model240] = []

  public init(number: Int) {
    self.number = number
    title = "Model241"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model242 {
  #Index<Model242>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model243?
  @Relationship(inverse: \Model241.next) public var members: [Model241] = []

  public init(number: Int) {
    self.number = number
    title = "Model242"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model243 {
  #Index<Model243>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model244?
  @Relationship(inverse: \Model242.next) public var members: [Model242] = []

  public init(number: Int) {
    self.number = number
    title = "Model243"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model244 {
  #Index<Model244>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model245?
  @Relationship(inverse: \Model243.next) public var members: [Model243] = []

  public init(number: Int) {
    self.number = number
    title = "Model244"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model245 {
  #Index<Model245>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model246?
  @Relationship(inverse: \Model244.next) public var members: [Model244] = []

  public init(number: Int) {
    self.number = number
    title = "Model245"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model246 {
  #Index<Model246>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model247?
  @Relationship(inverse: \Model245.next) public var members: [Model245] = []

  public init(number: Int) {
    self.number = number
    title = "Model246"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model247 {
  #Index<Model247>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model248?
  @Relationship(inverse: \Model246.next) public var members: [Model246] = []

  public init(number: Int) {
    self.number = number
    title = "Model247"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model248 {
  #Index<Model248>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model249?
  @Relationship(inverse: \Model247.next) public var members: [Model247] = []

  public init(number: Int) {
    self.number = number
    title = "Model248"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model249 {
  #Index<Model249>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  @Relationship(inverse: \Model248.next) public var members: [Model248] = []

  public init(number: Int) {
    self.number = number
    title = "Model249"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model250 {
  #Index<Model250>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model251?

  public init(number: Int) {
    self.number = number
    title = "Model250"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model251 {
  #Index<Model251>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model252?
  @Relationship(inverse: \Model250.next) public var members: [Model250] = []

  public init(number: Int) {
    self.number = number
    title = "Model251"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model252 {
  #Index<Model252>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model253?
  @Relationship(inverse: \Model251.next) public var members: [Model251] = []

  public init(number: Int) {
    self.number = number
    title = "Model252"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model253 {
  #Index<Model253>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model254?
  @Relationship(inverse: \Model252.next) public var members: [Model252] = []

  public init(number: Int) {
    self.number = number
    title = "Model253"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model254 {
  #Index<Model254>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model255?
  @Relationship(inverse: \Model253.next) public var members: [Model253] = []

  public init(number: Int) {
    self.number = number
    title = "Model254"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model255 {
  #Index<Model255>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model256?
  @Relationship(inverse: \Model254.next) public var members: [Model254] = []

  public init(number: Int) {
    self.number = number
    title = "Model255"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model256 {
  #Index<Model256>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model257?
  @Relationship(inverse: \Model255.next) public var members: [Model255] = []

  public init(number: Int) {
    self.number = number
    title = "Model256"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model257 {
  #Index<Model257>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model258?
  @Relationship(inverse: \Model256.next) public var members: [Model256] = []

  public init(number: Int) {
    self.number = number
    title = "Model257"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model258 {
  #Index<Model258>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model259?
  @Relationship(inverse: \Model257.next) public var members: [Model257] = []

  public init(number: Int) {
    self.number = number
    title = "Model258"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model259 {
  #Index<Model259>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  @Relationship(inverse: \Model258.next) public var members: [Model258] = []

  public init(number: Int) {
    self.number = number
    title = "Model259"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model260 {
  #Index<Model260>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model261?

  public init(number: Int) {
    self.number = number
    title = "Model260"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model261 {
  #Index<Model261>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model262?
  @Relationship(inverse: \Model260.next) public var members: [Model260] = []

  public init(number: Int) {
    self.number = number
    title = "Model261"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model262 {
  #Index<Model262>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model263?
  @Relationship(inverse: \Model261.next) public var members: [Model261] = []

  public init(number: Int) {
    self.number = number
    title = "Model262"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model263 {
  #Index<Model263>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model264?
  @Relationship(inverse: \Model262.next) public var members: [Model262] = []

  public init(number: Int) {
    self.number = number
    title = "Model263"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model264 {
  #Index<Model264>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model265?
  @Relationship(inverse: \Model263.next) public var members: [Model263] = []

  public init(number: Int) {
    self.number = number
    title = "Model264"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model265 {
  #Index<Model265>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model266?
  @Relationship(inverse: \Model264.next) public var members: [Model264] = []

  public init(number: Int) {
    self.number = number
    title = "Model265"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model266 {
  #Index<Model266>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model267?
  @Relationship(inverse: \Model265.next) public var members: [Model265] = []

  public init(number: Int) {
    self.number = number
    title = "Model266"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model267 {
  #Index<Model267>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model268?
  @Relationship(inverse: \Model266.next) public var members: [Model266] = []

  public init(number: Int) {
    self.number = number
    title = "Model267"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model268 {
  #Index<Model268>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model269?
  @Relationship(inverse: \Model267.next) public var members: [Model267] = []

  public init(number: Int) {
    self.number = number
    title = "Model268"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model269 {
  #Index<Model269>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  @Relationship(inverse: \Model268.next) public var members: [Model268] = []

  public init(number: Int) {
    self.number = number
    title = "Model269"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model270 {
  #Index<Model270>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model271?

  public init(number: Int) {
    self.number = number
    title = "Model270"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model271 {
  #Index<Model271>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model272?
  @Relationship(inverse: \Model270.next) public var members: [Model270] = []

  public init(number: Int) {
    self.number = number
    title = "Model271"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model272 {
  #Index<Model272>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model273?
  @Relationship(inverse: \Model271.next) public var members: [Model271] = []

  public init(number: Int) {
    self.number = number
    title = "Model272"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model273 {
  #Index<Model273>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model274?
  @Relationship(inverse: \Model272.next) public var members: [Model272] = []

  public init(number: Int) {
    self.number = number
    title = "Model273"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model274 {
  #Index<Model274>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model275?
  @Relationship(inverse: \Model273.next) public var members: [Model273] = []

  public init(number: Int) {
    self.number = number
    title = "Model274"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model275 {
  #Index<Model275>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model276?
  @Relationship(inverse: \Model274.next) public var members: [Model274] = []

  public init(number: Int) {
    self.number = number
    title = "Model275"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model276 {
  #Index<Model276>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model277?
  @Relationship(inverse: \Model275.next) public var members: [Model275] = []

  public init(number: Int) {
    self.number = number
    title = "Model276"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model277 {
  #Index<Model277>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model278?
  @Relationship(inverse: \Model276.next) public var members: [Model276] = []

  public init(number: Int) {
    self.number = number
    title = "Model277"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model278 {
  #Index<Model278>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model279?
  @Relationship(inverse: \Model277.next) public var members: [Model277] = []

  public init(number: Int) {
    self.number = number
    title = "Model278"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model279 {
  #Index<Model279>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  @Relationship(inverse: \Model278.next) public var members: [Model278] = []

  public init(number: Int) {
    self.number = number
    title = "Model279"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model280 {
  #Index<Model280>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model281?

  public init(number: Int) {
    self.number = number
    title = "Model280"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model281 {
  #Index<Model281>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model282?
  @Relationship(inverse: \Model280.next) public var members: [Model280] = []

  public init(number: Int) {
    self.number = number
    title = "Model281"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model282 {
  #Index<Model282>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model283?
  @Relationship(inverse: \Model281.next) public var members: [Model281] = []

  public init(number: Int) {
    self.number = number
    title = "Model282"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model283 {
  #Index<Model283>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model284?
  @Relationship(inverse: \Model282.next) public var members: [Model282] = []

  public init(number: Int) {
    self.number = number
    title = "Model283"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model284 {
  #Index<Model284>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model285?
  @Relationship(inverse: \Model283.next) public var members: [Model283] = []

  public init(number: Int) {
    self.number = number
    title = "Model284"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model285 {
  #Index<Model285>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model286?
  @Relationship(inverse: \Model284.next) public var members: [Model284] = []

  public init(number: Int) {
    self.number = number
    title = "Model285"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model286 {
  #Index<Model286>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model287?
  @Relationship(inverse: \Model285.next) public var members: [Model285] = []

  public init(number: Int) {
    self.number = number
    title = "Model286"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model287 {
  #Index<Model287>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model288?
  @Relationship(inverse: \Model286.next) public var members: [Model286] = []

  public init(number: Int) {
    self.number = number
    title = "Model287"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model288 {
  #Index<Model288>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model289?
  @Relationship(inverse: \Model287.next) public var members: [Model287] = []

  public init(number: Int) {
    self.number = number
    title = "Model288"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model289 {
  #Index<Model289>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  @Relationship(inverse: \Model288.next) public var members: [Model288] = []

  public init(number: Int) {
    self.number = number
    title = "Model289"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model290 {
  #Index<Model290>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model291?

  public init(number: Int) {
    self.number = number
    title = "Model290"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model291 {
  #Index<Model291>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model292?
  @Relationship(inverse: \Model290.next) public var members: [Model290] = []

  public init(number: Int) {
    self.number = number
    title = "Model291"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model292 {
  #Index<Model292>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model293?
  @Relationship(inverse: \Model291.next) public var members: [Model291] = []

  public init(number: Int) {
    self.number = number
    title = "Model292"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model293 {
  #Index<Model293>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model294?
  @Relationship(inverse: \Model292.next) public var members: [Model292] = []

  public init(number: Int) {
    self.number = number
    title = "Model293"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model294 {
  #Index<Model294>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model295?
  @Relationship(inverse: \Model293.next) public var members: [Model293] = []

  public init(number: Int) {
    self.number = number
    title = "Model294"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model295 {
  #Index<Model295>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model296?
  @Relationship(inverse: \Model294.next) public var members: [Model294] = []

  public init(number: Int) {
    self.number = number
    title = "Model295"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model296 {
  #Index<Model296>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model297?
  @Relationship(inverse: \Model295.next) public var members: [Model295] = []

  public init(number: Int) {
    self.number = number
    title = "Model296"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model297 {
  #Index<Model297>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model298?
  @Relationship(inverse: \Model296.next) public var members: [Model296] = []

  public init(number: Int) {
    self.number = number
    title = "Model297"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model298 {
  #Index<Model298>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  public var next: Model299?
  @Relationship(inverse: \Model297.next) public var members: [Model297] = []

  public init(number: Int) {
    self.number = number
    title = "Model298"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
public final class Model299 {
  #Index<Model299>([\.number])

  public var number: Int
  public var title: String
  public var amount: Double?
  public var date: Date
  @Relationship(inverse: \Model298.next) public var members: [Model298] = []

  public init(number: Int) {
    self.number = number
    title = "Model299"
    date = Date(timeIntervalSinceReferenceDate: 0)
  }
}

public enum Version01: VersionedSchema {
  public static let versionIdentifier = Schema.Version(1, 0, 0)
  public static let models: [any PersistentModel.Type] = [
    Model000.self, Model001.self, Model002.self, Model003.self, Model004.self,
    Model005.self, Model006.self, Model007.self, Model008.self, Model009.self,
  ]
}

public enum Version02: VersionedSchema {
  public static let versionIdentifier = Schema.Version(2, 0, 0)
  public static let models: [any PersistentModel.Type] = [
    Model010.self, Model011.self, Model012.self, Model013.self, Model014.self,
    Model015.self, Model016.self, Model017.self, Model018.self, Model019.self,
  ]
}

public enum Version03: VersionedSchema {
  public static let versionIdentifier = Schema.Version(3, 0, 0)
  public static let models: [any PersistentModel.Type] = [
    Model020.self, Model021.self, Model022.self, Model023.self, Model024.self,
    Model025.self, Model026.self, Model027.self, Model028.self, Model029.self,
  ]
}

public enum Version04: VersionedSchema {
  public static let versionIdentifier = Schema.Version(4, 0, 0)
  public static let models: [any PersistentModel.Type] = [
    Model030.self, Model031.self, Model032.self, Model033.self, Model034.self,
    Model035.self, Model036.self, Model037.self, Model038.self, Model039.self,
  ]
}

public enum Version05: VersionedSchema {
  public static let versionIdentifier = Schema.Version(5, 0, 0)
  public static let models: [any PersistentModel.Type] = [
    Model040.self, Model041.self, Model042.self, Model043.self, Model044.self,
    Model045.self, Model046.self, Model047.self, Model048.self, Model049.self,
  ]
}

public enum Version06: VersionedSchema {
  public static let versionIdentifier = Schema.Version(6, 0, 0)
  public static let models: [any PersistentModel.Type] = [
    Model050.self, Model051.self, Model052.self, Model053.self, Model054.self,
    Model055.self, Model056.self, Model057.self, Model058.self, Model059.self,
  ]
}

public enum Version07: VersionedSchema {
  public static let versionIdentifier = Schema.Version(7, 0, 0)
  public static let models: [any PersistentModel.Type] = [
    Model060.self, Model061.self, Model062.self, Model063.self, Model064.self,
    Model065.self, Model066.self, Model067.self, Model068.self, Model069.self,
  ]
}

public enum Version08: VersionedSchema {
  public static let versionIdentifier = Schema.Version(8, 0, 0)
  public static let models: [any PersistentModel.Type] = [
    Model070.self, Model071.self, Model072.self, Model073.self, Model074.self,
    Model075.self, Model076.self, Model077.self, Model078.self, Model079.self,
  ]
}

public enum Version09: VersionedSchema {
  public static let versionIdentifier = Schema.Version(9, 0, 0)
  public static let models: [any PersistentModel.Type] = [
    Model080.self, Model081.self, Model082.self, Model083.self, Model084.self,
    Model085.self, Model086.self, Model087.self, Model088.self, Model089.self,
  ]
}

public enum Version10: VersionedSchema {
  public static let versionIdentifier = Schema.Version(10, 0, 0)
  public static let models: [any PersistentModel.Type] = [
    Model090.self, Model091.self, Model092.self, Model093.self, Model094.self,
    Model095.self, Model096.self, Model097.self, Model098.self, Model099.self,
  ]
}

public enum Version11: VersionedSchema {
  public static let versionIdentifier = Schema.Version(11, 0, 0)
  public static let models: [any PersistentModel.Type] = [
    Model100.self, Model101.self, Model102.self, Model103.self, Model104.self,
    Model105.self, Model106.self, Model107.self, Model108.self, Model109.self,
  ]
}

public enum Version12: VersionedSchema {
  public static let versionIdentifier = Schema.Version(12, 0, 0)
  public static let models: [any PersistentModel.Type] = [
    Model110.self, Model111.self, Model112.self, Model113.self, Model114.self,
    Model115.self, Model116.self, Model117.self, Model118.self, Model119.self,
  ]
}

public enum Version13: VersionedSchema {
  public static let versionIdentifier = Schema.Version(13, 0, 0)
  public static let models: [any PersistentModel.Type] = [
    Model120.self, Model121.self, Model122.self, Model123.self, Model124.self,
    Model125.self, Model126.self, Model127.self, Model128.self, Model129.self,
  ]
}

public enum Version14: VersionedSchema {
  public static let versionIdentifier = Schema.Version(14, 0, 0)
  public static let models: [any PersistentModel.Type] = [
    Model130.self, Model131.self, Model132.self, Model133.self, Model134.self,
    Model135.self, Model136.self, Model137.self, Model138.self, Model139.self,
  ]
}

public enum Version15: VersionedSchema {
  public static let versionIdentifier = Schema.Version(15, 0, 0)
  public static let models: [any PersistentModel.Type] = [
    Model140.self, Model141.self, Model142.self, Model143.self, Model144.self,
    Model145.self, Model146.self, Model147.self, Model148.self, Model149.self,
  ]
}

public enum Version16: VersionedSchema {
  public static let versionIdentifier = Schema.Version(16, 0, 0)
  public static let models: [any PersistentModel.Type] = [
    Model150.self, Model151.self, Model152.self, Model153.self, Model154.self,
    Model155.self, Model156.self, Model157.self, Model158.self, Model159.self,
  ]
}

public enum Version17: VersionedSchema {
  public static let versionIdentifier = Schema.Version(17, 0, 0)
  public static let models: [any PersistentModel.Type] = [
    Model160.self, Model161.self, Model162.self, Model163.self, Model164.self,
    Model165.self, Model166.self, Model167.self, Model168.self, Model169.self,
  ]
}

public enum Version18: VersionedSchema {
  public static let versionIdentifier = Schema.Version(18, 0, 0)
  public static let models: [any PersistentModel.Type] = [
    Model170.self, Model171.self, Model172.self, Model173.self, Model174.self,
    Model175.self, Model176.self, Model177.self, Model178.self, Model179.self,
  ]
}

public enum Version19: VersionedSchema {
  public static let versionIdentifier = Schema.Version(19, 0, 0)
  public static let models: [any PersistentModel.Type] = [
    Model180.self, Model181.self, Model182.self, Model183.self, Model184.self,
    Model185.self, Model186.self, Model187.self, Model188.self, Model189.self,
  ]
}

public enum Version20: VersionedSchema {
  public static let versionIdentifier = Schema.Version(20, 0, 0)
  public static let models: [any PersistentModel.Type] = [
    Model190.self, Model191.self, Model192.self, Model193.self, Model194.self,
    Model195.self, Model196.self, Model197.self, Model198.self, Model199.self,
  ]
}

public enum LongPlan: SchemaMigrationPlan {
  public static let schemas: [any VersionedSchema.Type] = [
    Version01.self, Version02.self, Version03.self, Version04.self, Version05.self,
    Version06.self, Version07.self, Version08.self, Version09.self, Version10.self,
    Version11.self, Version12.self, Version13.self, Version14.self, Version15.self,
    Version16.self, Version17.self, Version18.self, Version19.self, Version20.self,
  ]

  public static let stages: [MigrationStage] = [
    .lightweight(fromVersion: Version01.self, toVersion: Version02.self),
    .lightweight(fromVersion: Version02.self, toVersion: Version03.self),
    .lightweight(fromVersion: Version03.self, toVersion: Version04.self),
    .lightweight(fromVersion: Version04.self, toVersion: Version05.self),
    .lightweight(fromVersion: Version05.self, toVersion: Version06.self),
    .lightweight(fromVersion: Version06.self, toVersion: Version07.self),
    .lightweight(fromVersion: Version07.self, toVersion: Version08.self),
    .lightweight(fromVersion: Version08.self, toVersion: Version09.self),
    .lightweight(fromVersion: Version09.self, toVersion: Version10.self),
    .lightweight(fromVersion: Version10.self, toVersion: Version11.self),
    .lightweight(fromVersion: Version11.self, toVersion: Version12.self),
    .lightweight(fromVersion: Version12.self, toVersion: Version13.self),
    .lightweight(fromVersion: Version13.self, toVersion: Version14.self),
    .lightweight(fromVersion: Version14.self, toVersion: Version15.self),
    .lightweight(fromVersion: Version15.self, toVersion: Version16.self),
    .lightweight(fromVersion: Version16.self, toVersion: Version17.self),
    .lightweight(fromVersion: Version17.self, toVersion: Version18.self),
    .lightweight(fromVersion: Version18.self, toVersion: Version19.self),
    .lightweight(fromVersion: Version19.self, toVersion: Version20.self),
  ]
}

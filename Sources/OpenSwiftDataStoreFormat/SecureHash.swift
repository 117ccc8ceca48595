package import Foundation

/// SHA-256 (FIPS 180-4).
package enum SHA256 {
  /// The 32 bytes of the hash.
  package static func hash(of data: Data) -> Data {
    let schedule = SecureHash<UInt32>(
      rounds: 64, lengthBytes: 8, bigSigma0: (2, 13, 22), bigSigma1: (6, 11, 25),
      smallSigma0: (7, 18, 3), smallSigma1: (17, 19, 10), fraction: { UInt32($0 >> 32) })
    return schedule.hash(of: data)
  }
}

/// SHA-512 (FIPS 180-4).
package enum SHA512 {
  /// The 64 bytes of the hash.
  package static func hash(of data: Data) -> Data {
    let schedule = SecureHash<UInt64>(
      rounds: 80, lengthBytes: 16, bigSigma0: (28, 34, 39), bigSigma1: (14, 18, 41),
      smallSigma0: (1, 8, 7), smallSigma1: (19, 61, 6), fraction: { $0 })
    return schedule.hash(of: data)
  }
}

/// The common algorithm: the two hashes differ in word width, number of rounds and rotations.
private struct SecureHash<Word: FixedWidthInteger & UnsignedInteger> {
  typealias Shifts = (Int, Int, Int)

  let rounds: Int
  /// The number of bytes for the length of the message.
  let lengthBytes: Int
  let bigSigma0: Shifts
  let bigSigma1: Shifts
  /// Two rotations and a shift.
  let smallSigma0: Shifts
  let smallSigma1: Shifts
  /// The part of a 64-bit fraction that fills a word.
  let fraction: (UInt64) -> Word

  private var wordBytes: Int { Word.bitWidth / 8 }

  func hash(of data: Data) -> Data {
    var state = squareRoots.map(fraction)
    let constants = cubeRoots.prefix(rounds).map(fraction)
    var words = [Word](repeating: 0, count: rounds)
    let message = padded(data)
    for block in stride(from: 0, to: message.count, by: 16 * wordBytes) {
      for index in 0..<16 {
        let start = block + index * wordBytes
        words[index] = message[start..<(start + wordBytes)].reduce(0) { $0 << 8 | Word($1) }
      }
      for index in 16..<rounds {
        words[index] =
          words[index - 16] &+ mixed(words[index - 15], smallSigma0)
          &+ words[index - 7] &+ mixed(words[index - 2], smallSigma1)
      }
      add(words, constants, to: &state)
    }
    return Data(
      state.flatMap { word in
        (1...wordBytes).map { UInt8(truncatingIfNeeded: word >> Word(8 * (wordBytes - $0))) }
      })
  }

  /// The message, one bit, zeros and the length, padded to whole blocks.
  private func padded(_ data: Data) -> [UInt8] {
    let block = 16 * wordBytes
    var message = [UInt8](data)
    message.append(0x80)
    let rest = (message.count + lengthBytes) % block
    message.append(contentsOf: repeatElement(0, count: (rest == 0 ? 0 : block - rest)))
    message.append(contentsOf: repeatElement(0, count: lengthBytes - 8))
    let bits = UInt64(data.count) * 8
    for shift in stride(from: 56, through: 0, by: -8) {
      message.append(UInt8(truncatingIfNeeded: bits >> UInt64(shift)))
    }
    return message
  }

  private func add(_ words: [Word], _ constants: [Word], to state: inout [Word]) {
    var (a, b, c, d) = (state[0], state[1], state[2], state[3])
    var (e, f, g, h) = (state[4], state[5], state[6], state[7])
    for round in 0..<rounds {
      let choice = (e & f) ^ (~e & g)
      let first = h &+ rotated(e, bigSigma1) &+ choice &+ constants[round] &+ words[round]
      let majority = (a & b) ^ (a & c) ^ (b & c)
      let second = rotated(a, bigSigma0) &+ majority
      (h, g, f, e, d, c, b, a) = (g, f, e, d &+ first, c, b, a, first &+ second)
    }
    for (index, word) in [a, b, c, d, e, f, g, h].enumerated() { state[index] &+= word }
  }

  private func rotated(_ word: Word, _ shifts: Shifts) -> Word {
    right(word, shifts.0) ^ right(word, shifts.1) ^ right(word, shifts.2)
  }

  private func mixed(_ word: Word, _ shifts: Shifts) -> Word {
    right(word, shifts.0) ^ right(word, shifts.1) ^ (word >> Word(shifts.2))
  }

  private func right(_ word: Word, _ count: Int) -> Word {
    word >> Word(count) | word << Word(Word.bitWidth - count)
  }
}

/// The fractional parts of the square roots of the first primes.
private let squareRoots: [UInt64] = [
  0x6a09e667_f3bcc908, 0xbb67ae85_84caa73b, 0x3c6ef372_fe94f82b, 0xa54ff53a_5f1d36f1,
  0x510e527f_ade682d1, 0x9b05688c_2b3e6c1f, 0x1f83d9ab_fb41bd6b, 0x5be0cd19_137e2179,
]

/// The fractional parts of the cube roots of the first primes.
private let cubeRoots: [UInt64] = [
  0x428a2f98_d728ae22, 0x71374491_23ef65cd, 0xb5c0fbcf_ec4d3b2f, 0xe9b5dba5_8189dbbc,
  0x3956c25b_f348b538, 0x59f111f1_b605d019, 0x923f82a4_af194f9b, 0xab1c5ed5_da6d8118,
  0xd807aa98_a3030242, 0x12835b01_45706fbe, 0x243185be_4ee4b28c, 0x550c7dc3_d5ffb4e2,
  0x72be5d74_f27b896f, 0x80deb1fe_3b1696b1, 0x9bdc06a7_25c71235, 0xc19bf174_cf692694,
  0xe49b69c1_9ef14ad2, 0xefbe4786_384f25e3, 0x0fc19dc6_8b8cd5b5, 0x240ca1cc_77ac9c65,
  0x2de92c6f_592b0275, 0x4a7484aa_6ea6e483, 0x5cb0a9dc_bd41fbd4, 0x76f988da_831153b5,
  0x983e5152_ee66dfab, 0xa831c66d_2db43210, 0xb00327c8_98fb213f, 0xbf597fc7_beef0ee4,
  0xc6e00bf3_3da88fc2, 0xd5a79147_930aa725, 0x06ca6351_e003826f, 0x14292967_0a0e6e70,
  0x27b70a85_46d22ffc, 0x2e1b2138_5c26c926, 0x4d2c6dfc_5ac42aed, 0x53380d13_9d95b3df,
  0x650a7354_8baf63de, 0x766a0abb_3c77b2a8, 0x81c2c92e_47edaee6, 0x92722c85_1482353b,
  0xa2bfe8a1_4cf10364, 0xa81a664b_bc423001, 0xc24b8b70_d0f89791, 0xc76c51a3_0654be30,
  0xd192e819_d6ef5218, 0xd6990624_5565a910, 0xf40e3585_5771202a, 0x106aa070_32bbd1b8,
  0x19a4c116_b8d2d0c8, 0x1e376c08_5141ab53, 0x2748774c_df8eeb99, 0x34b0bcb5_e19b48a8,
  0x391c0cb3_c5c95a63, 0x4ed8aa4a_e3418acb, 0x5b9cca4f_7763e373, 0x682e6ff3_d6b2b8a3,
  0x748f82ee_5defb2fc, 0x78a5636f_43172f60, 0x84c87814_a1f0ab72, 0x8cc70208_1a6439ec,
  0x90befffa_23631e28, 0xa4506ceb_de82bde9, 0xbef9a3f7_b2c67915, 0xc67178f2_e372532b,
  0xca273ece_ea26619c, 0xd186b8c7_21c0c207, 0xeada7dd6_cde0eb1e, 0xf57d4f7f_ee6ed178,
  0x06f067aa_72176fba, 0x0a637dc5_a2c898a6, 0x113f9804_bef90dae, 0x1b710b35_131c471b,
  0x28db77f5_23047d84, 0x32caab7b_40c72493, 0x3c9ebe0a_15c9bebc, 0x431d67c4_9c100d4c,
  0x4cc5d4be_cb3e42b6, 0x597f299c_fc657e2a, 0x5fcb6fab_3ad6faec, 0x6c44198c_4a475817,
]

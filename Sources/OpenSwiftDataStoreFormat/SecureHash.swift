package import Foundation

/// SHA-256 (FIPS 180-4).
package enum SHA256 {
  /// The 32 bytes of the hash.
  package static func hash(of data: Data) -> Data {
    let schedule = SecureHash(
      wordBits: 32, rounds: 64, bigSigma0: (2, 13, 22), bigSigma1: (6, 11, 25),
      smallSigma0: (7, 18, 3), smallSigma1: (17, 19, 10))
    return schedule.hash(of: data)
  }
}

/// SHA-512 (FIPS 180-4).
package enum SHA512 {
  /// The 64 bytes of the hash.
  package static func hash(of data: Data) -> Data {
    let schedule = SecureHash(
      wordBits: 64, rounds: 80, bigSigma0: (28, 34, 39), bigSigma1: (14, 18, 41),
      smallSigma0: (1, 8, 7), smallSigma1: (19, 61, 6))
    return schedule.hash(of: data)
  }
}

/// The common algorithm: the two hashes differ in word width, number of rounds and rotations.
///
/// Words of both widths are in 64 bits; those of 32 bits have zeros above. Code that is generic over the
/// width would bring the protocols of integers into the module, which take long to compile, and would be
/// slow in debug builds.
private struct SecureHash {
  typealias Shifts = (UInt64, UInt64, UInt64)

  let wordBits: UInt64
  let rounds: Int
  let bigSigma0: Shifts
  let bigSigma1: Shifts
  /// Two rotations and a shift.
  let smallSigma0: Shifts
  let smallSigma1: Shifts

  private var wordBytes: Int { Int(wordBits) / 8 }

  /// The bits of a word.
  private var mask: UInt64 { UInt64.max &>> (64 - wordBits) }

  func hash(of data: Data) -> Data {
    var state = squareRoots.map(fraction)
    let constants = cubeRoots.map(fraction)
    var words = [UInt64](repeating: 0, count: rounds)
    let message = padded(data)
    var next = 0
    while next < message.count {
      for index in 0..<16 {
        var word: UInt64 = 0
        for _ in 0..<wordBytes {
          word = word &<< 8 | UInt64(message[next])
          next += 1
        }
        words[index] = word
      }
      for index in 16..<rounds {
        let word: UInt64 = words[index - 16] &+ mixed(words[index - 15], smallSigma0)
        words[index] = (word &+ words[index - 7] &+ mixed(words[index - 2], smallSigma1)) & mask
      }
      add(words, constants, to: &state)
    }
    var bytes: [UInt8] = []
    for word in state { append(word, wordBytes, to: &bytes) }
    return Data(bytes)
  }

  /// The part of a 64-bit fraction that fills a word.
  private func fraction(_ fraction: UInt64) -> UInt64 { fraction &>> (64 - wordBits) }

  /// The message, one bit, zeros and the length in two words, padded to whole blocks.
  private func padded(_ data: Data) -> [UInt8] {
    let block = 16 * wordBytes
    var message = [UInt8](data)
    message.append(0x80)
    while (message.count + 8) % block != 0 || message.count < data.count + 1 + 2 * wordBytes - 8 {
      message.append(0)
    }
    append(UInt64(data.count) * 8, 8, to: &message)
    return message
  }

  /// Appends the last bytes of a number, the most significant one first.
  private func append(_ number: UInt64, _ count: Int, to bytes: inout [UInt8]) {
    for place in 1...count {
      bytes.append(UInt8(truncatingIfNeeded: number &>> UInt64(8 * (count - place))))
    }
  }

  private func add(_ words: [UInt64], _ constants: [UInt64], to state: inout [UInt64]) {
    var (a, b, c, d) = (state[0], state[1], state[2], state[3])
    var (e, f, g, h) = (state[4], state[5], state[6], state[7])
    for round in 0..<rounds {
      let choice: UInt64 = (e & f) ^ (~e & g)
      let first: UInt64 = h &+ rotated(e, bigSigma1) &+ choice &+ constants[round] &+ words[round]
      let majority: UInt64 = (a & b) ^ (a & c) ^ (b & c)
      let second: UInt64 = rotated(a, bigSigma0) &+ majority
      (h, g, f, e) = (g, f, e, (d &+ first) & mask)
      (d, c, b, a) = (c, b, a, (first &+ second) & mask)
    }
    let sums: [UInt64] = [a, b, c, d, e, f, g, h]
    for index in 0..<8 { state[index] = (state[index] &+ sums[index]) & mask }
  }

  private func rotated(_ word: UInt64, _ shifts: Shifts) -> UInt64 {
    right(word, shifts.0) ^ right(word, shifts.1) ^ right(word, shifts.2)
  }

  private func mixed(_ word: UInt64, _ shifts: Shifts) -> UInt64 {
    right(word, shifts.0) ^ right(word, shifts.1) ^ (word &>> shifts.2)
  }

  private func right(_ word: UInt64, _ count: UInt64) -> UInt64 {
    (word &>> count | word &<< (wordBits - count)) & mask
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
